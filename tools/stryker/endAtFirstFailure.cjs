/** Of a mutant it is enough to know that a property fails: no smaller counterexample is looked for. */
require('fast-check').configureGlobal({ endOnFailure: true });
