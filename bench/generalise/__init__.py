"""Does what was learned in a project hold there, and what did it cost? On labelled projects, with a writer and without.

labels      what readers labelled: lessons, and the failures that repeat a problem an earlier session had solved
judge       what sessions would have been told, against the labels
exchange    dossiers out, as a writer would get them; answers back in
project     one project: scan, harvest, problems, answers, replay, judged
"""
