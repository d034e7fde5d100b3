"""What the subcommands (verbs) do, apart from their options and reports."""
