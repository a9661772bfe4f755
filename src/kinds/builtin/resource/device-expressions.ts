import { atOnce, UNBOUNDED_WORK, type Dialect } from '../../../foundation/index.js';
import type { CelEnvironment } from '../../../machinery/index.js';
import { compiled, expressions } from '../shared/expressions.js';

/** Compiles the expressions that select devices. */
export class DeviceExpressions {
  readonly #dialect: Dialect;
  #environment: CelEnvironment | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  #create(): CelEnvironment {
    const { cel, createEnvironment } = expressions();
    const { stringType, anyType, mapType, objectType, quantityType } = cel;
    const device = objectType(`${this.#dialect.product}.DRADevice`, {
      driver: stringType,
      attributes: mapType(stringType, mapType(stringType, anyType)),
      capacity: mapType(stringType, mapType(stringType, quantityType)),
    });
    const libraries = [...cel.baseLibraries, cel.semverLibrary, cel.bindingsLibrary];
    return createEnvironment({ variables: { device }, libraries });
  }

  /**
   * Returns the message for an expression that does not compile, or can never be a boolean.
   *
   * @throws Error when CEL is not loaded
   */
  problem(expression: string): string | undefined {
    this.#environment ??= this.#create();
    // Such an expression has at most 10 KiB.
    const program = atOnce(compiled(this.#environment, expression, UNBOUNDED_WORK));
    if (typeof program === 'string') return program;
    const { type } = program;
    return type.kind === 'bool' || type.kind === 'any'
      ? undefined
      : `must evaluate to bool or the unknown type, not ${expressions().cel.formatType(type)}`;
  }
}

/** Returns whether any of the lists of selectors has an entry, so that CEL is needed. */
export const hasSelectors = (
  owners: readonly { readonly selectors?: readonly unknown[] | undefined }[] | null | undefined,
): boolean => owners?.some(({ selectors }) => selectors !== undefined && selectors.length > 0) ?? false;
