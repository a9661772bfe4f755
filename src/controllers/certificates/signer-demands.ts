import { definedOnly } from '../../foundation/index.js';
import { usageNamesOf, usagesOf } from '../../security/index.js';
import { SigningRefusal } from './signer-refusal.js';

/** The values that a request must, may and must not contain. */
export interface Demands {
  readonly required?: readonly string[] | undefined;
  /** Values permitted besides the required ones. Default: all that are not forbidden. */
  readonly permitted?: readonly string[] | undefined;
  readonly forbidden?: readonly string[] | undefined;
}

/**
 * Checks the requested values.
 *
 * @param reason prefix of the refusal's reason
 * @param what name of the values in messages
 * @throws SigningRefusal when a required value is missing or a value is not permitted
 */
export function checkDemands(
  requested: readonly string[],
  { required = [], permitted, forbidden = [] }: Demands,
  reason: string,
  what: string,
): void {
  const missing = required.find((value) => !requested.includes(value));
  if (missing !== undefined)
    throw new SigningRefusal(`${reason}Required`, `the ${what} ${JSON.stringify(missing)} is required`);
  const isPermitted = (value: string): boolean =>
    !forbidden.includes(value) && (permitted === undefined || permitted.includes(value) || required.includes(value));
  const unpermitted = requested.find((value) => !isPermitted(value));
  if (unpermitted !== undefined)
    throw new SigningRefusal(`${reason}NotPermitted`, `the ${what} ${JSON.stringify(unpermitted)} is not permitted`);
}

/** Returns the canonical name of a usage; some usages have two names. @throws Error when the usage is unknown */
function usageName(name: string): string {
  const { keyUsages, extendedKeyUsages } = usagesOf([name]);
  return usageNamesOf({ keyUsages: new Set(keyUsages), extendedKeyUsages })[0] ?? name;
}

const isPurpose = (name: string): boolean => usagesOf([name]).extendedKeyUsages.length > 0;

/**
 * Returns demands on usages in canonical names. Forbidding an extended usage also forbids `any`, unless `any` is named.
 *
 * @throws Error when a usage is unknown
 */
export function usageDemands({ required = [], permitted, forbidden = [] }: Demands = {}): Demands {
  const permitsAny = permitted?.includes('any') === true || required.includes('any');
  const allForbidden = forbidden.some(isPurpose) && !permitsAny ? [...forbidden, 'any'] : forbidden;
  return {
    required: required.map(usageName),
    ...definedOnly({ permitted: permitted?.map(usageName) }),
    forbidden: allForbidden.map(usageName),
  };
}

/**
 * Checks the requested usages.
 *
 * @throws SigningRefusal when a required usage is missing or a usage is not permitted
 */
export function checkUsages(usages: readonly string[], wanted: Demands | undefined): void {
  const demands = usageDemands(wanted);
  checkDemands(usages.map(usageName), demands, 'Usage', 'usage');
  const { required = [], permitted = [], forbidden = [] } = demands;
  if ([...required, ...permitted, ...forbidden].some(isPurpose) && !usages.some(isPurpose)) {
    throw new SigningRefusal(
      'UsageRequired',
      'an extended usage is required: a certificate without one is valid for every purpose',
    );
  }
}
