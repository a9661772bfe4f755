import type { Defined } from '../collections/defined-only.js';

/** Maximum sizes of a definition of a custom kind. Each default is at least eight times what real ones reach. */
export interface DefinitionLimitOptions {
  /** Versions. Default 100; real definitions have at most 10. */
  readonly versions?: number | undefined;
  /** Instructions of the program of a pattern. Default 4,000; real definitions have at most 360. */
  readonly patternInstructions?: number | undefined;
  /** Instructions of all patterns of a version, those of equal ones once. Default 100,000; real definitions have at most 6,076. */
  readonly versionPatternInstructions?: number | undefined;
  /** Conditions that one value meets, in all depths. Default 1,000; real definitions have at most 19. */
  readonly conditions?: number | undefined;
  /** Schemas within the schema of a version, conditions included. Default 100,000; real definitions have at most 10,505. */
  readonly schemas?: number | undefined;
  /** Levels of schemas. Default 500; real definitions have at most 19. */
  readonly depth?: number | undefined;
  /** Characters of all rules of a version, with the expressions of their messages. Default 262,144; real definitions have at most 9,600. */
  readonly ruleCharacters?: number | undefined;
  /** Printer columns of a version. Default 128; real definitions have at most 16. */
  readonly columns?: number | undefined;
  /** Characters of the path of a column. Default 1,024; real definitions have at most 72. */
  readonly pathCharacters?: number | undefined;
  /** Steps of the path of a column. Default 64; real definitions have at most 7. */
  readonly pathSegments?: number | undefined;
  /** Recursive descents of the path of a column. Default 1; real definitions have at most 0. */
  readonly pathDescents?: number | undefined;
}

/** {@link DefinitionLimitOptions} with all defaults. */
export type DefinitionLimits = Required<Defined<DefinitionLimitOptions>>;

/** The limits of a server whose owner sets none. */
export const DEFAULT_DEFINITION_LIMITS: DefinitionLimits = Object.freeze({
  versions: 100,
  patternInstructions: 4000,
  versionPatternInstructions: 100_000,
  conditions: 1000,
  schemas: 100_000,
  depth: 500,
  ruleCharacters: 256 * 1024,
  columns: 128,
  pathCharacters: 1024,
  pathSegments: 64,
  pathDescents: 1,
});
