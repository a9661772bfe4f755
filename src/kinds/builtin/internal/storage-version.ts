import {
  dnsLabel1035Errors,
  dnsSubdomain,
  dnsSubdomainErrors,
  FieldErrorList,
  invalid,
  patternText,
  qualifiedName,
  required,
  type FieldError,
  type NameRule,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { statusSubresource } from '../../../registry/index.js';
import type { apiserverinternalV1alpha1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { ownStatus } from '../shared/status-writes.js';

type Status = apiserverinternalV1alpha1.StorageVersionStatus;
type ServerVersion = apiserverinternalV1alpha1.ServerStorageVersion;

const API_VERSION_TEXT = patternText(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
);

/** Names are a group and a resource: `apps.deployments`. */
const nameRule: NameRule = (name) => {
  const dot = name.lastIndexOf('.');
  if (dot === -1) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dnsSubdomainErrors(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...dnsLabel1035Errors(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
};

/** Returns the problems of a version with its group: `apps/v1`, or `v1`. */
function apiVersionProblems(apiVersion: string): readonly string[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2)
    return [
      `an apiVersion is ${API_VERSION_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`,
    ];
  const part = (name: string, text: string, rule: (value: string) => readonly string[]): readonly string[] =>
    (text === '' ? ['must be non-empty'] : rule(text)).map((problem) => `${name} part: ${problem}`);
  return [
    ...(parts.length === 2 ? part('group', parts[0] ?? '', dnsSubdomainErrors) : []),
    ...part('version', parts.at(-1) ?? '', dnsLabel1035Errors),
  ];
}

function* validateServerVersion(errors: FieldErrorList, path: string, version: ServerVersion): Steps<void> {
  const { apiServerID: server = '', encodingVersion: encoding = '', decodableVersions: decodable = [] } = version;
  for (const problem of dnsSubdomain(server, false)) errors.push(invalid(`${path}.apiServerID`, server, problem));
  const problems = apiVersionProblems(encoding);
  if (problems.length > 0) errors.push(invalid(`${path}.encodingVersion`, encoding, problems.join(',')));
  for (const [index, text] of decodable.entries()) {
    if (errors.spend()) yield;
    const found = apiVersionProblems(text);
    if (found.length > 0) errors.push(invalid(`${path}.decodableVersions[${index}]`, text, found.join(',')));
  }
  if (!decodable.includes(encoding))
    errors.push(
      invalid(`${path}.decodableVersions`, decodable, `decodableVersions must include encodingVersion ${encoding}`),
    );
}

/** Returns the version that all servers write; undefined when they differ, or when there are none. */
function commonVersion(versions: readonly ServerVersion[]): string | undefined {
  const encodings = new Set(versions.map(({ encodingVersion = '' }) => encodingVersion));
  return encodings.size === 1 ? [...encodings][0] : undefined;
}

function validateCommonVersion(
  errors: FieldError[],
  path: string,
  { storageVersions = [], commonEncodingVersion: claimed }: Status,
): void {
  const actual = commonVersion(storageVersions);
  if (actual === claimed) return;
  const problem =
    actual === undefined
      ? 'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
      : `the ${claimed === undefined ? '' : 'actual '}common encoding version is ${actual}`;
  errors.push(invalid(path, claimed, problem));
}

function* validateStatusConditions(
  errors: FieldErrorList,
  conditions: readonly apiserverinternalV1alpha1.StorageVersionCondition[],
): Steps<void> {
  const seen = new Map<string, number>();
  for (const [index, { type, status, reason, message = '' }] of conditions.entries()) {
    if (errors.spend()) yield;
    // Kubernetes leaves out the name of the list.
    const path = `status[${index}]`;
    const earlier = seen.get(type);
    if (earlier !== undefined)
      errors.push(
        invalid(
          `${path}.type`,
          type,
          `the type of the condition is not unique, it also appears in conditions[${earlier}]`,
        ),
      );
    seen.set(type, index);
    for (const problem of qualifiedName(type)) errors.push(invalid(`${path}.type`, type, problem));
    // The value of the error is the type, as in Kubernetes.
    for (const problem of qualifiedName(status)) errors.push(invalid(`${path}.status`, type, problem));
    if (reason === '') errors.push(required(`${path}.reason`, 'reason cannot be empty'));
    if (message === '') errors.push(required(`${path}.message`, 'message cannot be empty'));
  }
}

function* statusErrors(status: Status, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  for (const [index, version] of (status.storageVersions ?? []).entries()) {
    if (errors.spend()) yield;
    yield* validateServerVersion(errors, `status.storageVersions[${index}]`, version);
  }
  validateCommonVersion(errors, 'status.commonEncodingVersion', status);
  yield* validateStatusConditions(errors, status.conditions ?? []);
  return errors;
}

/** Number of versions that a cell shows. */
const SHOWN_VERSIONS = 3;

function versionsCell({ storageVersions: versions = [] }: Status): string {
  const shown = versions
    .slice(0, SHOWN_VERSIONS)
    .map(({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`)
    .join(',');
  return versions.length > SHOWN_VERSIONS ? `${shown} + ${versions.length - SHOWN_VERSIONS} more...` : shown;
}

/** The versions in which servers store a resource. */
export const storageVersion: Behaviour<apiserverinternalV1alpha1.StorageVersion> = {
  strategy: {
    allowUnconditionalUpdate: false,
    nameRule,
    ...ownStatus(),
  },
  subresources: {
    status: {
      ...statusSubresource.strategy,
      validateUpdate: ({ status }, _old, { work }) => statusErrors(status, work),
    },
  },
  cells: {
    CommonEncodingVersion: ({ status }) => status.commonEncodingVersion ?? '<unset>',
    StorageVersions: ({ status }) => versionsCell(status),
  },
};
