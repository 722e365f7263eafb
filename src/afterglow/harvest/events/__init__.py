"""What went wrong in a session, and what people put right: its events, with all that is needed to compare them.

session_events all of them together
claims      which lines of an output claim that something went wrong
failures    calls that went wrong, whatever their exit codes say
failing_calls such a call as an event
call_text   a call as it is read
goals       whether two calls are after the same
aftermath   what followed: tries, changes, the call that reached the goal, words
ci_logs     checks that failed elsewhere, with what their logs say
explained   failures that the session's own state explains
mending     which edit answered which report of a linter
runs        which forms of commands ended well, and how often
habits      which checks print something when all is well
manifests_read which packages the manifests that were read name
people      what a person put right or laid down
latest      the same for the calls that a running session has just made
redaction   nothing secret goes further
keys        by what an event may be the same as another
"""
