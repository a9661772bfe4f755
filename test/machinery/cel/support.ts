import {
  CelCompileError,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  createCelEnvironment,
  type CelEnvironmentOptions,
  type CelValue,
} from '../../../src/machinery/cel/index.js';

/**
 * A value as plain data that a test can compare. Integers stay bigints; values without a JavaScript equivalent become
 * text.
 */
export function plain(value: CelValue): unknown {
  if (value instanceof CelList) return [...value].map(plain);
  if (value instanceof CelMap)
    return new Map([...value.keys()].map((key) => [plain(key), plain(value.get(key) ?? null)]));
  if (value instanceof CelUint) return `${String(value.value)}u`;
  if (value instanceof CelTimestamp || value instanceof CelDuration) return value.toString();
  if (value instanceof CelTypeValue) return `type ${value.name}`;
  if (value instanceof CelOptional) return value.value === undefined ? 'none' : { some: plain(value.value) };
  return value;
}

/** Evaluates an expression in a separate environment. */
export async function evaluate(
  expression: string,
  values: Record<string, unknown> = {},
  options: Partial<CelEnvironmentOptions> = {},
): Promise<unknown> {
  const environment = await createCelEnvironment({ variables: {}, ...options });
  return plain(environment.compile(expression).evaluate(values).value);
}

/** Why an expression does not compile. */
export async function compileProblem(
  expression: string,
  options: Partial<CelEnvironmentOptions> = {},
): Promise<string> {
  const environment = await createCelEnvironment({ variables: {}, ...options });
  try {
    environment.compile(expression);
  } catch (error) {
    if (error instanceof CelCompileError) return error.message.replace('compilation failed: ', '');
    throw error;
  }
  return 'it compiles';
}
