/**
 * The identity of the pods of a stateful set: ordinals, names, labels, volumes. Pure functions.
 *
 * @module
 */
import type { Dialect, Steps, Work } from '../../../foundation/index.js';
import type { PodObject, PodTemplate } from '../shared/kinds.js';
import type { PodChanges } from '../shared/pod-control.js';
import { REVISION_LABEL } from '../shared/revisions.js';
import type { ClaimTemplate, StatefulSetObject } from './types.js';

type PodSpec = NonNullable<PodTemplate['spec']>;

/** First ordinal of a set. */
export const firstOrdinal = ({ spec }: StatefulSetObject): number => spec?.ordinals?.start ?? 0;

/** Number of replicas of a set. */
export const replicasOf = ({ spec }: StatefulSetObject): number => spec?.replicas ?? 1;

/** Returns the name of the pod with an ordinal. */
export const podName = ({ metadata }: StatefulSetObject, ordinal: number): string =>
  `${metadata.name ?? ''}-${ordinal}`;

/** Returns the ordinal in the name of a pod of a set; undefined when it is not the name of such a pod. */
export function ordinalOf(set: StatefulSetObject, { metadata }: PodObject): number | undefined {
  const match = /^(.*)-([0-9]+)$/s.exec(metadata.name ?? '');
  return match !== null && match[1] === (set.metadata.name ?? '') ? Number(match[2]) : undefined;
}

/** Returns whether a set should have a pod with an ordinal. */
export function isWanted(set: StatefulSetObject, ordinal: number): boolean {
  const first = firstOrdinal(set);
  return ordinal >= first && ordinal < first + replicasOf(set);
}

/** Returns the name of the revision of a pod. */
export const podRevision = ({ metadata }: PodObject): string => metadata.labels?.[REVISION_LABEL] ?? '';

/** Returns the claim templates of a set. */
export const claimTemplates = ({ spec }: StatefulSetObject): readonly ClaimTemplate[] =>
  spec?.volumeClaimTemplates ?? [];

/** Returns the name of the claim of a pod. */
export const claimName = (set: StatefulSetObject, template: ClaimTemplate, ordinal: number): string =>
  `${template.metadata?.name ?? ''}-${podName(set, ordinal)}`;

/** Returns the labels of the identity of a pod. */
export function identityLabels(
  set: StatefulSetObject,
  ordinal: number,
  { labelDomain }: Dialect,
): Record<string, string> {
  return {
    [`statefulset.${labelDomain}/pod-name`]: podName(set, ordinal),
    [`apps.${labelDomain}/pod-index`]: String(ordinal),
  };
}

/** A volume of a claim. */
interface ClaimVolume {
  name: string;
  persistentVolumeClaim: { claimName: string; readOnly: boolean };
}

/** Returns the volumes of a pod: those of its claims, which replace volumes of the same name, and its others. */
export function volumesOf<Volume extends { readonly name: string }>(
  set: StatefulSetObject,
  ordinal: number,
  present: readonly Volume[] = [],
): (Volume | ClaimVolume)[] {
  const claims = claimTemplates(set).map((template) => ({
    name: template.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal), readOnly: false },
  }));
  const names = new Set(claims.map(({ name }) => name));
  return [...claims, ...present.filter(({ name }) => !names.has(name))];
}

/** Returns what distinguishes a pod from its template. */
export function podChanges(
  set: StatefulSetObject,
  template: PodTemplate | undefined,
  ordinal: number,
  revision: string,
  dialect: Dialect,
): PodChanges {
  const name = podName(set, ordinal);
  const volumes = volumesOf(set, ordinal, template?.spec?.volumes);
  const spec: PodSpec = {
    containers: [],
    ...template?.spec,
    hostname: name,
    ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
    ...(volumes.length === 0 ? {} : { volumes }),
  };
  const labels = {
    ...template?.metadata?.labels,
    ...identityLabels(set, ordinal, dialect),
    [REVISION_LABEL]: revision,
  };
  return { metadata: { name, labels }, spec };
}

/** Returns whether a pod has the label of its name. */
export function identityMatches({ metadata }: PodObject, { labelDomain }: Dialect): boolean {
  return metadata.labels?.[`statefulset.${labelDomain}/pod-name`] === metadata.name;
}

/** Units of work to look at a claim or volume of a pod. */
const CLAIM_UNITS = 8;

/** Returns whether a pod has the volumes of its claims. */
export function* storageMatches(
  set: StatefulSetObject,
  { spec }: PodObject,
  ordinal: number,
  work: Work,
): Steps<boolean> {
  const templates = claimTemplates(set);
  if (templates.length === 0) return true;
  const claims = new Map<string, string | undefined>();
  for (const { name, persistentVolumeClaim } of spec?.volumes ?? []) {
    if (work.spend(CLAIM_UNITS)) yield;
    if (!claims.has(name)) claims.set(name, persistentVolumeClaim?.claimName);
  }
  for (const template of templates) {
    if (work.spend(CLAIM_UNITS)) yield;
    if (claims.get(template.metadata?.name ?? '') !== claimName(set, template, ordinal)) return false;
  }
  return true;
}
