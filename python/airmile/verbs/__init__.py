"""The work of the verbs, without their options and reports."""
