/** Maximums of what a definition of a custom kind may contain. Each default is at least eight times what real ones reach. */
export interface DefinitionLimits {
  /** Versions. Default 100; real definitions have at most 10. */
  readonly versions: number;
  /** Instructions of the program of a pattern. Default 4,000; real definitions have at most 360. */
  readonly patternInstructions: number;
  /** Instructions of all patterns of a version, those of equal ones once. Default 100,000; real 6,076. */
  readonly versionPatternInstructions: number;
  /** Conditions that one value meets, in all depths. Default 1,000; real 19. */
  readonly conditions: number;
  /** Schemas within the schema of a version, conditions included. Default 100,000; real 10,505. */
  readonly schemas: number;
  /** Levels of schemas. Default 500; real 19. */
  readonly depth: number;
  /** Characters of all rules of a version, with the expressions of their messages. Default 262,144; real 9,600. */
  readonly ruleCharacters: number;
  /** Printer columns of a version. Default 128; real 16. */
  readonly columns: number;
  /** Characters of the path of a column. Default 1,024; real 72. */
  readonly pathCharacters: number;
  /** Steps of the path of a column. Default 64; real 7. */
  readonly pathSegments: number;
  /** Recursive descents of the path of a column. Default 1; real 0. */
  readonly pathDescents: number;
}

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
