# Completion for bash. The program itself knows its commands and flags.
_homeroom() { mapfile -t COMPREPLY < <(homeroom complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); }
complete -o default -F _homeroom homeroom
