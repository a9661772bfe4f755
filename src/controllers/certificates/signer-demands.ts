import { definedOnly } from '../../meta/defined-only.js';
import { usageNamesOf, usagesOf } from '../../pki/usages.js';
import { SigningRefusal } from './signer-refusal.js';

/** What must be asked for, what may be besides, and what must not. */
export interface Demands {
  readonly required?: readonly string[];
  /** Default: everything that is not forbidden. */
  readonly permitted?: readonly string[];
  readonly forbidden?: readonly string[];
}

/**
 * Checks what is asked for.
 *
 * @param reason what the reasons of refusals begin with
 * @param what what is asked for, as messages have it
 * @throws SigningRefusal for what is missing, and for what may not be
 */
export function checkDemands(
  asked: readonly string[],
  { required = [], permitted, forbidden = [] }: Demands,
  reason: string,
  what: string,
): void {
  const missing = required.find((value) => !asked.includes(value));
  if (missing !== undefined)
    throw new SigningRefusal(`${reason}Required`, `the ${what} ${JSON.stringify(missing)} is required`);
  const may = (value: string): boolean =>
    !forbidden.includes(value) && (permitted === undefined || permitted.includes(value) || required.includes(value));
  const excess = asked.find((value) => !may(value));
  if (excess !== undefined)
    throw new SigningRefusal(`${reason}NotPermitted`, `the ${what} ${JSON.stringify(excess)} is not permitted`);
}

/** The name by which a usage is known that has two. @throws Error for a name that is none */
function usageName(name: string): string {
  const { keyUsages, extendedKeyUsages } = usagesOf([name]);
  return usageNamesOf({ keyUsages: new Set(keyUsages), extendedKeyUsages })[0] ?? name;
}

const isPurpose = (name: string): boolean => usagesOf([name]).extendedKeyUsages.length > 0;

/**
 * Demands on usages, by the names that {@link usageName} gives.
 *
 * @throws Error for a name that is none
 */
export function usageDemands({ required = [], permitted, forbidden = [] }: Demands = {}): Demands {
  const mayAny = permitted?.includes('any') === true || required.includes('any');
  const barred = forbidden.some(isPurpose) && !mayAny ? [...forbidden, 'any'] : forbidden;
  return {
    required: required.map(usageName),
    ...definedOnly({ permitted: permitted?.map(usageName) }),
    forbidden: barred.map(usageName),
  };
}

/**
 * Checks the usages that are asked for.
 *
 * @throws SigningRefusal for what is missing, and for what may not be
 */
export function checkUsages(usages: readonly string[], wanted: Demands | undefined): void {
  const demands = usageDemands(wanted);
  checkDemands(usages.map(usageName), demands, 'Usage', 'usage');
  const { required = [], permitted = [], forbidden = [] } = demands;
  if ([...required, ...permitted, ...forbidden].some(isPurpose) && !usages.some(isPurpose)) {
    throw new SigningRefusal(
      'UsageRequired',
      'an extended usage is required: without one a certificate is for every purpose',
    );
  }
}
