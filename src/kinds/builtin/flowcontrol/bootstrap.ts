/**
 * The objects of API Priority and Fairness that a server maintains, and what becomes of a stored one.
 *
 * @module
 */
import { equalJson, parseGoBool, type Dialect, type ObjectMeta } from '../../../foundation/index.js';
import type { flowcontrolV1 } from '../../types/index.js';
import { EXEMPT, mandatoryFlowSchemas, mandatoryPriorityLevels } from './mandatory.js';
import { suggestedFlowSchemas, suggestedPriorityLevels } from './suggested.js';

/** The maintained objects of one kind, by name. */
export interface MaintainedSpecs<Spec> {
  /** Those whose users may change their specs. */
  readonly suggested: ReadonlyMap<string, Spec>;
  /** Those whose specs are restored. */
  readonly mandatory: ReadonlyMap<string, Spec>;
  /** Returns whether a stored spec needs no update. */
  isCurrent(name: string, wanted: Spec, stored: Spec): boolean;
}

/** An object of a kind that is maintained. */
export interface MaintainedObject<Spec> {
  readonly metadata: ObjectMeta;
  readonly spec?: Spec | undefined;
}

/** Field manager of the maintained objects, as in Kubernetes. */
export const PRODUCER = 'api-priority-and-fairness-config-producer-v1';

/** Returns the annotation that says whether the server keeps the spec of an object up to date. */
export const autoUpdateAnnotation = (dialect: Dialect): string => `apf.${dialect.labelDomain}/autoupdate-spec`;

/** Returns the flow schemas that a server maintains. */
export const maintainedFlowSchemas = (dialect: Dialect): MaintainedSpecs<flowcontrolV1.FlowSchemaSpec> => ({
  suggested: suggestedFlowSchemas(dialect),
  mandatory: mandatoryFlowSchemas,
  isCurrent: (_name, wanted, stored) => equalJson(wanted, stored),
});

/** The priority levels that a server maintains. Users may change the shares of the exempt level. */
export const maintainedPriorityLevels: MaintainedSpecs<flowcontrolV1.PriorityLevelConfigurationSpec> = {
  suggested: suggestedPriorityLevels,
  mandatory: mandatoryPriorityLevels,
  isCurrent: (name, wanted, stored) =>
    name === EXEMPT
      ? stored.exempt !== undefined && equalJson({ ...wanted, exempt: undefined }, { ...stored, exempt: undefined })
      : equalJson(wanted, stored),
};

/**
 * Returns the object that replaces a stored one: with the maintained spec, unless the annotation says that it is the
 * user's or, without an annotation, the user has changed it; and with the annotation that says so.
 *
 * @returns undefined when the stored object needs no change
 */
export function revised<Spec, Item extends MaintainedObject<Spec>>(
  name: string,
  stored: Item,
  specs: MaintainedSpecs<Spec>,
  dialect: Dialect,
): Item | undefined {
  const isMandatory = specs.mandatory.has(name);
  const wanted = specs.mandatory.get(name) ?? specs.suggested.get(name);
  if (wanted === undefined) return undefined;
  const annotation = autoUpdateAnnotation(dialect);
  const { annotations, generation } = stored.metadata;
  const said = parseGoBool(annotations?.[annotation] ?? '');
  const updates = isMandatory || (said ?? generation === 1);
  const isCurrent = !updates || (stored.spec !== undefined && specs.isCurrent(name, wanted, stored.spec));
  if (isCurrent && said === updates) return undefined;
  const metadata =
    said === updates
      ? stored.metadata
      : { ...stored.metadata, annotations: { ...annotations, [annotation]: String(updates) } };
  return { ...stored, metadata, spec: isCurrent ? stored.spec : wanted };
}

/** Returns whether a stored object was maintained by an earlier release and no longer is, so that it is deleted. */
export function isAbandoned<Spec>(
  name: string,
  { metadata }: MaintainedObject<Spec>,
  { suggested, mandatory }: MaintainedSpecs<Spec>,
  dialect: Dialect,
): boolean {
  if (suggested.has(name) || mandatory.has(name)) return false;
  return parseGoBool(metadata.annotations?.[autoUpdateAnnotation(dialect)] ?? '') === true;
}
