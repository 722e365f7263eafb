"""Dossiers out, lessons back: what a writer is asked, what it answered, and whether that holds.

prompt      dossiers -> one question; the shape of its answer
answers     what came back -> answers, each by itself: one that cannot be used costs no other
names       what calls and texts in backticks name, so that they can be compared
lesson_names  what a lesson names: what is to come with its remedy, and what is to go
failure_names  what a failed call and its error name, read as text
situation   whether a failure is what a lesson is about, or another cause of its problem
episode_words  what one episode shows, in words that can be compared
lesson_words  a lesson by its words, beside the episodes that its writer cites
reading     a lesson beside its problem: what one event says to it
sayings     where a person said what a lesson says
witnesses   which sessions show problem and remedy, for the lesson or against it
checks      what no writer can pass by eloquence: each looks at what happened, not at words
people      whose wish a lesson is, where several people work there
lesson      an answer that passed -> the item to keep

A writer is a person, a rule, an agent or a model; all pass through here.
"""
