/**
 * CEL for the kinds whose objects have expressions. It is loaded with the first such object.
 *
 * @module
 */
import type { Steps, Work } from '../../../foundation/index.js';
import type { CelEnvironment, CelEnvironmentOptions, CelProgram, CelType } from '../../../machinery/index.js';
import { importCel, type ImportOfCel } from '../../../machinery/late.js';

type Cel = ImportOfCel;

/** The library, once it is loaded. */
export interface Expressions {
  readonly cel: Cel;
  readonly createEnvironment: (options: CelEnvironmentOptions) => CelEnvironment;
}

let library: Expressions | undefined;

/** Loads the library. Returns undefined when it is loaded. */
export function loadExpressions(): Promise<void> | undefined {
  if (library !== undefined) return undefined;
  return importCel().then(async (cel) => {
    library = { cel, createEnvironment: await cel.loadCelEnvironments() };
  });
}

/** @throws Error when the library is not loaded: a strategy with expressions loads it before it validates */
export function expressions(): Expressions {
  if (library === undefined) throw new Error('expressions are validated before CEL is loaded');
  return library;
}

/**
 * Compiles an expression in steps. Returns the message of Kubernetes when it does not compile.
 *
 * @param resultTypes the allowed types; undefined for any type
 */
export function* compiled(
  environment: CelEnvironment,
  expression: string,
  work: Work,
  resultTypes?: readonly CelType[],
): Steps<CelProgram | string> {
  try {
    return yield* environment.compileInSlices(expression, work, { resultTypes });
  } catch (error) {
    if (!(error instanceof expressions().cel.CelCompileError)) throw error;
    return error.message;
  }
}
