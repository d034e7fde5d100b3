"""The work of the subcommands (verbs), without their options and reports."""
