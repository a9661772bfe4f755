import type { Dialect } from '../../names/dialect.js';

/** Prefixes and names of a label, before and after its domain. */
type Label = readonly [before: string, after: string];

const label = ([before, after]: Label, { labelDomain }: Dialect): string => `${before}${labelDomain}/${after}`;

interface DeprecatedLabel {
  readonly old: Label;
  /** The label that replaced it. */
  readonly current?: Label;
  /** The release that deprecated it. */
  readonly since?: string;
  /** Advice, when no label replaced it. */
  readonly advice?: string;
  /** Whether a volume that names the old label may be changed to name the current one. */
  readonly renamed?: boolean;
}

/** The labels of nodes that release 1.31 warns of. */
const DEPRECATED: readonly DeprecatedLabel[] = [
  { old: ['beta.', 'arch'], current: ['', 'arch'], since: 'v1.14', renamed: true },
  { old: ['beta.', 'os'], current: ['', 'os'], since: 'v1.14', renamed: true },
  { old: ['failure-domain.beta.', 'region'], current: ['topology.', 'region'], since: 'v1.17', renamed: true },
  { old: ['failure-domain.beta.', 'zone'], current: ['topology.', 'zone'], since: 'v1.17', renamed: true },
  { old: ['beta.', 'instance-type'], current: ['node.', 'instance-type'], since: 'v1.17', renamed: true },
  { old: ['app.', 'created-by'], since: 'v1.9' },
  { old: ['scheduler.alpha.', 'preferAvoidPods'], since: 'v1.22', advice: 'use Taints and Tolerations instead' },
  { old: ['node-role.', 'master'], current: ['node-role.', 'control-plane'] },
];

/** Returns the words of the warning for a deprecated label of nodes; undefined for any other label. */
export function deprecatedNodeLabel(key: string, dialect: Dialect): string | undefined {
  const found = DEPRECATED.find(({ old }) => label(old, dialect) === key);
  if (found === undefined) return undefined;
  const { current, since, advice } = found;
  const parts = [
    ...(since === undefined ? [] : [`deprecated since ${since}`]),
    ...(current === undefined ? [] : [`use "${label(current, dialect)}" instead`]),
    ...(advice === undefined ? [] : [advice]),
  ];
  return parts.join('; ');
}

/** Returns the label that replaced a beta label of nodes; undefined for any other label. */
export function currentNodeLabel(key: string, dialect: Dialect): string | undefined {
  const found = DEPRECATED.find(({ old, renamed }) => renamed === true && label(old, dialect) === key);
  return found?.current === undefined ? undefined : label(found.current, dialect);
}
