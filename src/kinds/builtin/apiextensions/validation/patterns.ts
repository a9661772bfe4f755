import * as library from 're2js';
import type { DefinitionLimits } from '../../../../foundation/index.js';
import { PatternLibrary, UserPatterns, type PatternCompiler } from '../../../../machinery/index.js';

/** Returns Go's message for a regular expression that is invalid or too large; undefined for another. */
export const patternProblem = (pattern: string, { patternInstructions }: DefinitionLimits): string | undefined =>
  new PatternLibrary(library, patternInstructions).problemOf(pattern);

/** Returns a compiler for the patterns of one definition: each is compiled once, when it is first needed. */
export const patternCompiler = ({
  patternInstructions,
  versionPatternInstructions,
}: DefinitionLimits): PatternCompiler =>
  new UserPatterns(new PatternLibrary(library, patternInstructions), versionPatternInstructions).compile;
