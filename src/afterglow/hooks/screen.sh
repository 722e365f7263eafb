#!/bin/sh
# Looks at a call that ended before a Python is started for it: sh screen.sh PROGRAM... hook EVENT ...
# A batch matters where the agent refused a call; a shell line that ended well, where it can hide a failure: behind a
# pipe, or before a further command. All else is left without an answer, which no agent notes anywhere.
event=$(cat)
case " $* " in
*' hook PostToolBatch '*)
    case $event in
    *'<tool_use_error>'*) ;;
    *) exit 0 ;;
    esac
    ;;
*' hook PostToolUse '*)
    line=${event%%'"tool_response"'*}
    case $line in
    *'"tool_input"'*'|'* | *'"tool_input"'*';'* | *'"tool_input"'*'\n'*) ;;
    *'"tool_input"'*) exit 0 ;;
    esac
    ;;
esac
answer=$(printf '%s\n' "$event" | "$@")
case $answer in
'' | '{}') ;;
*) printf '%s\n' "$answer" ;;
esac
exit 0
