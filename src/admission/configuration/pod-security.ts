import {
  appendAll,
  dnsLabelErrors,
  dnsSubdomainErrors,
  duplicate,
  FieldErrorList,
  invalid,
  type FieldError,
  type JsonValue,
  type Optional,
} from '../../foundation/index.js';
import { list, requiredText, structNode, text } from '../../machinery/index.js';
import {
  LEVEL_PROBLEM,
  podSecurityLevels,
  readVersion,
  VERSION_PROBLEM,
  type PodSecurityLevel,
  type PodSecurityOptions,
} from '../plugins/pod-security/policy.js';
import { readConfiguration, type ConfigurationForm, type ConfigurationReader } from './read-configuration.js';
import { requireValid } from './require-valid.js';

const MODES = ['enforce', 'audit', 'warn'] as const;
type Mode = (typeof MODES)[number];

interface Written {
  readonly defaults?: Optional<Record<Mode | `${Mode}-version`, string>> | undefined;
  readonly exemptions?: Optional<Record<'usernames' | 'namespaces' | 'runtimeClasses', readonly string[]>> | undefined;
}

const names = list(requiredText);

const form: ConfigurationForm = {
  kinds: [
    {
      group: 'pod-security.admission.config',
      versions: ['v1', 'v1beta1', 'v1alpha1'],
      kind: 'PodSecurityConfiguration',
    },
  ],
  schema: structNode('PodSecurityConfiguration', {
    defaults: structNode(
      'PodSecurityDefaults',
      Object.fromEntries(MODES.flatMap((mode) => [mode, `${mode}-version`].map((field) => [field, text]))),
    ),
    exemptions: structNode('PodSecurityExemptions', { usernames: names, namespaces: names, runtimeClasses: names }),
  }),
  isStrict: true,
};

/** Reads a PodSecurityConfiguration. @throws Error with all errors, in the words of Kubernetes */
export function readPodSecurity(value: JsonValue, reader: ConfigurationReader): PodSecurityOptions {
  const { defaults = {}, exemptions = {} } = readConfiguration<Written>(value, form, reader);
  const problems = new FieldErrorList();
  const levelOf = (mode: Mode): PodSecurityLevel | undefined => {
    const given = defaults[mode] ?? 'privileged';
    const level = podSecurityLevels.find((known) => known === given);
    if (level === undefined) problems.push(invalid(`defaults.${mode}`, given, LEVEL_PROBLEM));
    return level;
  };
  const versionOf = (mode: Mode): string => {
    const version = defaults[`${mode}-version`] ?? 'latest';
    if (readVersion(version) === undefined)
      problems.push(invalid(`defaults.${mode}-version`, version, VERSION_PROBLEM));
    return version;
  };
  const options = {
    defaults: {
      ...{ enforce: levelOf('enforce'), enforceVersion: versionOf('enforce') },
      ...{ audit: levelOf('audit'), auditVersion: versionOf('audit') },
      ...{ warn: levelOf('warn'), warnVersion: versionOf('warn') },
    },
    exemptions,
  };
  const { namespaces = [], runtimeClasses = [], usernames = [] } = exemptions;
  appendAll(
    problems,
    distinctProblems('exemptions.namespaces', namespaces, (name) => dnsLabelErrors(name).join(', ')),
  );
  appendAll(
    problems,
    distinctProblems('exemptions.runtimeClasses', runtimeClasses, (name) => dnsSubdomainErrors(name).join(', ')),
  );
  appendAll(
    problems,
    distinctProblems('exemptions.usernames', usernames, (name) => (name === '' ? 'username must not be empty' : '')),
  );
  requireValid(problems);
  return options;
}

/** Returns the problems of names that must be valid, and different from each other. */
function distinctProblems(path: string, all: readonly string[], problemOf: (name: string) => string): FieldError[] {
  const seen = new Set<string>();
  return all.flatMap((name, index) => {
    const problem = problemOf(name);
    if (problem !== '') return [invalid(`${path}[${index}]`, name, problem)];
    if (seen.has(name)) return [duplicate(`${path}[${index}]`, name)];
    seen.add(name);
    return [];
  });
}
