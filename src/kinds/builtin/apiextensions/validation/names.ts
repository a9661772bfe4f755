import { appendErrors, dnsLabel1035Errors, invalid, type FieldError } from '../../../../foundation/index.js';
import type { CustomResourceDefinitionNames } from '../types.js';

/** Checks the names of a kind, of the spec or the accepted ones. Names may be missing in the status. */
export function namesErrors(names: CustomResourceDefinitionNames, path: string): FieldError[] {
  const { plural, singular = '', shortNames = [], kind, listKind = '', categories = [] } = names;
  const errors = [
    ...labelErrors(plural, `${path}.plural`),
    ...labelErrors(singular, `${path}.singular`),
    ...kindErrors(kind, `${path}.kind`),
    ...kindErrors(listKind, `${path}.listKind`),
  ];
  for (const [index, shortName] of shortNames.entries())
    appendErrors(errors, itemErrors(shortName, `${path}.shortNames[${index}]`));
  if (kind !== '' && kind === listKind)
    errors.push(invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same'));
  for (const [index, category] of categories.entries())
    appendErrors(errors, itemErrors(category, `${path}.categories[${index}]`));
  return errors;
}

function itemErrors(value: string, path: string): FieldError[] {
  const problems = dnsLabel1035Errors(value);
  return problems.length === 0 ? [] : [invalid(path, value, problems.join(','))];
}

const labelErrors = (value: string, path: string): FieldError[] => (value === '' ? [] : itemErrors(value, path));

function kindErrors(value: string, path: string): FieldError[] {
  const problems = value === '' ? [] : dnsLabel1035Errors(value.toLowerCase());
  return problems.length === 0
    ? []
    : [invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}
