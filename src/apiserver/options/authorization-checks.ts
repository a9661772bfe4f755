import {
  aFunction,
  aName,
  checkedElsewhere,
  listOf,
  nested,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type { AuthorizationByFunction, AuthorizationByModes } from '../access/authorization-options.js';
import { anAccessWebhook, authorizationConfigurationChecks } from './outbound-checks.js';

/** The members that tell the forms of the option apart. */
const FORMS = ['modes', 'configuration', 'authorizer'] as const;

const byModes: OptionCheck = nested(
  {
    modes: listOf(aName, 'a list of modes'),
    abac: checkedElsewhere,
    webhook: anAccessWebhook,
  } satisfies OptionChecks<AuthorizationByModes>,
  ['modes'],
);
const byConfiguration: OptionCheck = nested({ ...authorizationConfigurationChecks, abac: checkedElsewhere }, [
  'configuration',
]);
const byFunction: OptionCheck = nested({ authorizer: aFunction } satisfies OptionChecks<AuthorizationByFunction>, [
  'authorizer',
]);

/** Checks `authorization`: modes, a configuration or an authorizer, distinguished by the members that are set. */
export const anAuthorization: OptionCheck = (value, path) => {
  if (typeof value !== 'object' || value === null) return byModes(value, path);
  const given = FORMS.filter((form) => form in value);
  if (given.length > 1) return `the options ${given.map((form) => `${path}.${form}`).join(' and ')} cannot be combined`;
  if (given[0] === 'authorizer') return byFunction(value, path);
  return (given[0] === 'configuration' ? byConfiguration : byModes)(value, path);
};
