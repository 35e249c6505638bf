# Completion for fish. The program itself knows its commands and flags.
complete -c homeroom -a '(homeroom complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
