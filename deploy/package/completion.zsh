#compdef homeroom
# Completion for zsh. The program itself knows its commands and flags.
local -a candidates
candidates=(${(f)"$(homeroom complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
if (( $#candidates )); then compadd -a candidates; else _files; fi
