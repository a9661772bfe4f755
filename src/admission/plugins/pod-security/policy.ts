import { FieldErrorList, invalid, type Dialect, type FieldError } from '../../../foundation/index.js';

/** How strict a policy is, from the least strict to the strictest. */
export const podSecurityLevels = [
  'privileged',
  'baseline',
  'restricted',
] as const satisfies readonly PodSecurityLevel[];

/** A level of the Pod Security Standards. */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** The ways to handle pods that violate a policy. */
export const podSecurityModes = ['enforce', 'audit', 'warn'] as const;

type Mode = (typeof podSecurityModes)[number];

/** Options of the plugin PodSecurity. */
export interface PodSecurityOptions {
  /** Policies of namespaces without labels; default `privileged` in the version `latest` for every mode. */
  readonly defaults?:
    | {
        readonly enforce?: PodSecurityLevel | undefined;
        readonly enforceVersion?: string | undefined;
        readonly audit?: PodSecurityLevel | undefined;
        readonly auditVersion?: string | undefined;
        readonly warn?: PodSecurityLevel | undefined;
        readonly warnVersion?: string | undefined;
      }
    | undefined;
  /** Requests that are not checked. */
  readonly exemptions?:
    | {
        readonly usernames?: readonly string[] | undefined;
        readonly runtimeClasses?: readonly string[] | undefined;
        readonly namespaces?: readonly string[] | undefined;
      }
    | undefined;
}

/** A level in the form that it had in a release. */
export interface LevelVersion {
  readonly level: PodSecurityLevel;
  /** Minor version of the release; infinite for the latest. */
  readonly minor: number;
}

/** The policies of a namespace. */
export type Policy = Readonly<Record<Mode, LevelVersion>>;

/** Detail of the error of an unknown level. */
export const LEVEL_PROBLEM = `must be one of ${podSecurityLevels.join(', ')}`;
/** Detail of the error of a text that names no version. */
export const VERSION_PROBLEM = 'must be "latest" or "v1.x"';

/** Returns a level by its name; undefined for an unknown one. */
const readLevel = (name: string): PodSecurityLevel | undefined => podSecurityLevels.find((level) => level === name);

/** Returns the minor version of `latest` or `v1.x`; undefined for another text. */
export function readVersion(text: string): number | undefined {
  if (text === 'latest') return Infinity;
  const minor = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** Returns a policy in the form of labels and messages: `restricted:latest`. */
export const policyText = ({ level, minor }: LevelVersion): string =>
  `${level}:${minor === Infinity ? 'latest' : `v1.${minor}`}`;

/** Returns the policies of namespaces without labels. The options have been checked. */
export function defaultPolicy({ defaults = {} }: PodSecurityOptions): Policy {
  const of = (level: PodSecurityLevel = 'privileged', version = 'latest'): LevelVersion => ({
    level,
    minor: readVersion(version) ?? Infinity,
  });
  return {
    enforce: of(defaults.enforce, defaults.enforceVersion),
    audit: of(defaults.audit, defaults.auditVersion),
    warn: of(defaults.warn, defaults.warnVersion),
  };
}

/** Compares two levels: positive when the first is stricter. */
export const compareLevels = (a: PodSecurityLevel, b: PodSecurityLevel): number =>
  podSecurityLevels.indexOf(a) - podSecurityLevels.indexOf(b);

/**
 * Returns the policies of a namespace by its labels. A wrong label enforces the strictest level and version, and neither
 * warns nor audits.
 */
export function policyOf(
  labels: Readonly<Record<string, string>>,
  defaults: Policy,
  { labelDomain }: Dialect,
): { readonly policy: Policy; readonly problems: readonly FieldError[] } {
  const problems = new FieldErrorList();
  const read = <Value>(
    label: string,
    parse: (text: string) => Value | undefined,
    problem: string,
    known: Value,
    wrong: Value,
  ): Value => {
    const key = `pod-security.${labelDomain}/${label}`;
    const text = labels[key];
    if (text === undefined) return known;
    const value = parse(text);
    if (value === undefined) problems.push(invalid(`metadata.labels[${key}]`, text, problem));
    return value ?? wrong;
  };
  const of = (mode: Mode): LevelVersion => {
    const { level, minor } = defaults[mode];
    const wrong = mode === 'enforce' ? 'restricted' : 'privileged';
    return {
      level: read(mode, readLevel, LEVEL_PROBLEM, level, wrong),
      minor: read(`${mode}-version`, readVersion, VERSION_PROBLEM, minor, Infinity),
    };
  };
  const [enforce, audit, given] = [of('enforce'), of('audit'), of('warn')];
  return { policy: { enforce, audit, warn: warnOf(given, enforce, labels, labelDomain) }, problems };
}

/** A namespace that enforces a level by a label, with no label for warnings, gets warnings of what will be refused. */
function warnOf(
  warn: LevelVersion,
  enforce: LevelVersion,
  labels: Readonly<Record<string, string>>,
  labelDomain: string,
): LevelVersion {
  const has = (label: string): boolean => labels[`pod-security.${labelDomain}/${label}`] !== undefined;
  if (has('warn') || !has('enforce') || compareLevels(enforce.level, warn.level) <= 0) return warn;
  return { level: enforce.level, minor: has('warn-version') ? warn.minor : enforce.minor };
}
