import {
  aCount,
  aName,
  aText,
  checkArgument,
  checkOptions,
  listOf,
  matching,
  type OptionChecks,
} from '../../foundation/index.js';
import { aUserOrName, type RecordingOptions } from '../../security/index.js';
import type { ExplainAccessOptions } from './access.js';

const explain: OptionChecks<ExplainAccessOptions> = {
  namespace: aText,
  name: aText,
  subresource: aText,
  group: aText,
  groups: listOf(aName, 'a list of groups'),
};
const record: OptionChecks<RecordingOptions> = { name: aName, maxRequests: aCount('requests', 1) };

const aResource = matching(
  'a kind that defineResource returned, the name of one such as "pods" or "deployments.apps", or a path such as "/healthz"',
  (value) =>
    typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null && 'plural' in value,
);

/**
 * Checks the arguments of `explain`.
 *
 * @throws TypeError that names the invalid argument or option
 */
export function checkExplain(user: unknown, verb: unknown, resource: unknown, options: unknown): void {
  checkArgument('explain', 'user', user, aUserOrName);
  checkArgument('explain', 'verb', verb, aName);
  checkArgument('explain', 'resource', resource, aResource);
  if (options !== undefined) checkOptions('explain', options, explain);
}

/**
 * Checks the arguments of `recordAccess`.
 *
 * @throws TypeError that names the invalid argument or option
 */
export function checkRecording(user: unknown, options: unknown): void {
  if (user !== undefined) checkArgument('recordAccess', 'user', user, aUserOrName);
  if (options !== undefined) checkOptions('recordAccess', options, record);
}
