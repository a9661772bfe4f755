import {
  durationMs,
  formatGoDuration,
  invalid,
  notSupported,
  required,
  type Duration,
  type FieldError,
  type FieldPath,
} from '../../../foundation/index.js';
import { compileMatchConditions } from '../webhook/index.js';
import type { UncheckedWebhook } from './types.js';
import type { AuthorizationConfigurationRules, FileChecks } from './validate.js';

const MAX_TIMEOUT_MS = 30_000;
/** As in Kubernetes, the path leaves `webhook` out. */
const VERSION_FIELD = 'matchConditionSubjectAccessReviewVersion';
const CONNECTION_TYPES = ['InClusterConfig', 'KubeConfig', 'KubeConfigFile'] as const;

/**
 * Validates a webhook, in the order of Kubernetes.
 *
 * @param path path of the authorizer
 */
export async function validateWebhook(
  webhook: UncheckedWebhook,
  path: FieldPath,
  rules: AuthorizationConfigurationRules,
): Promise<FieldError[]> {
  const { timeout = 0, authorizedTTL, unauthorizedTTL, matchConditions = [] } = webhook;
  return [
    ...validateTime(timeout, path.child('timeout'), MAX_TIMEOUT_MS),
    ...validateCacheTime(authorizedTTL, path.child('authorizedTTL')),
    ...validateCacheTime(unauthorizedTTL, path.child('unauthorizedTTL')),
    ...validateWord(webhook.subjectAccessReviewVersion, path.child('subjectAccessReviewVersion'), ['v1', 'v1beta1']),
    ...validateWord(
      webhook.matchConditionSubjectAccessReviewVersion,
      path.child(VERSION_FIELD),
      ['v1'],
      matchConditions.length === 0 ? '' : 'required if match conditions are specified',
    ),
    ...validateWord(webhook.failurePolicy, path.child('failurePolicy'), ['NoOpinion', 'Deny']),
    ...(await validateConnection(webhook.connectionInfo ?? {}, path.child('connectionInfo'), rules.files)),
    ...(await compileMatchConditions(matchConditions, rules, path)).errors,
  ];
}

/** Zero disables the cache, as it does for a webhook authorizer on its own. */
function validateCacheTime(time: Duration = 0, path: FieldPath): FieldError[] {
  const ms = msOf(time);
  return ms === 0 ? [] : validateTime(time, path);
}

function validateTime(time: Duration, path: FieldPath, maxMs?: number): FieldError[] {
  const ms = msOf(time);
  if (ms === undefined) return [invalid(path, time, 'must be a duration, such as "30s"')];
  if (ms === 0) return [required(path)];
  if (ms > 0 && (maxMs === undefined || ms <= maxMs)) return [];
  return [
    invalid(
      path,
      formatGoDuration(ms),
      maxMs === undefined ? 'must be > 0s' : `must be > 0s and <= ${formatGoDuration(maxMs)}`,
    ),
  ];
}

/** Returns a duration in milliseconds; undefined for a string that is not one. */
function msOf(time: Duration): number | undefined {
  if (typeof time === 'number') return time;
  try {
    return durationMs(time);
  } catch {
    return undefined;
  }
}

function validateWord(word: string | undefined, path: FieldPath, known: readonly string[], detail = ''): FieldError[] {
  if (word === undefined || word === '') return [required(path, detail)];
  return known.includes(word) ? [] : [notSupported(path, word, known)];
}

async function validateConnection(
  { type = '', kubeConfigFile = '' }: NonNullable<UncheckedWebhook['connectionInfo']>,
  path: FieldPath,
  files: FileChecks | undefined,
): Promise<FieldError[]> {
  const filePath = path.child('kubeConfigFile');
  const errors = validateWord(type, path.child('type'), CONNECTION_TYPES);
  if (errors.length > 0) return errors;
  if (type === 'InClusterConfig') {
    const misplaced =
      kubeConfigFile === '' ? [] : [invalid(filePath, kubeConfigFile, 'can only be set when type=KubeConfigFile')];
    return [
      ...misplaced,
      invalid(path.child('type'), type, 'not allowed for a server that hosts the review API itself'),
    ];
  }
  if (kubeConfigFile === '') return [required(filePath)];
  if (!(files?.isAbsolute(kubeConfigFile) ?? kubeConfigFile.startsWith('/')))
    return [invalid(filePath, kubeConfigFile, 'must be an absolute path')];
  const problem = await files?.problemOf(kubeConfigFile);
  return problem === undefined ? [] : [invalid(filePath, kubeConfigFile, problem)];
}
