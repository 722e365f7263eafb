#!/bin/sh
# Hands an event to afterglow: sh call.sh hook EVENT. Where it is not installed the agent goes on, and says so once a
# session.
program=$(command -v afterglow)
if [ -z "$program" ] && [ -x "$HOME/.local/bin/afterglow" ]; then
    program="$HOME/.local/bin/afterglow"
fi
if [ -n "$program" ]; then
    exec "$program" hook "$2" --agent claude-code
fi
cat > /dev/null
if [ "$2" = SessionStart ]; then
    echo '{"systemMessage": "The afterglow plugin does nothing: the afterglow program is not on the PATH of Claude Code"}'
else
    echo '{}'
fi
