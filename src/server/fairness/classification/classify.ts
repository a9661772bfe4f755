/**
 * The classification of requests by flow schemas (API Priority and Fairness): the first schema that matches a request
 * assigns it to a priority level and, within the level, to a flow.
 *
 * @module
 */
import { CATCH_ALL, EXEMPT, mandatoryFlowSchemas, type flowcontrolV1 } from '../../../kinds/index.js';
import { isUsableLevel, levelsInForce } from '../levels.js';
import type { ClassifiedRequest, ClassifiedUser } from './compiled-rule.js';
import { RuleIndex } from './rule-index.js';

type FlowSchema = flowcontrolV1.FlowSchema;
type PriorityLevel = flowcontrolV1.PriorityLevelConfiguration;

/** The facts by which a request is classified. */
export interface RequestDigest {
  readonly user: ClassifiedUser;
  readonly request: ClassifiedRequest;
}

/** A flow schema or priority level that a request was assigned to. */
export interface FlowObject {
  readonly name: string;
  /** Empty for a mandatory object that is not stored. */
  readonly uid: string;
}

/** Result of the classification of a request. */
export interface Classification {
  readonly flowSchema: FlowObject;
  readonly priorityLevel: FlowObject;
  /**
   * Distinguishes the flows of a schema: the name of the user or the namespace. Empty when the schema has no method,
   * and for a level without several queues, for which flows make no difference.
   */
  readonly flowDistinguisher: string;
  /** Method of the schema; undefined when all its requests are one flow. */
  readonly distinguisherMethod?: 'ByUser' | 'ByNamespace' | undefined;
}

/** Classifies requests. */
export interface FlowClassifier {
  /** Returns the classification of a request. Every request has one: the schema `catch-all` takes what no other does. */
  classify(digest: RequestDigest): Classification;
}

interface CompiledSchema {
  readonly rules: readonly flowcontrolV1.PolicyRulesWithSubjects[];
  /** Result without a distinguisher; the result itself for a schema or level that has none. */
  readonly base: Classification;
  /** The property that distinguishes the flows. */
  readonly distinguisher: 'username' | 'namespace' | undefined;
}

/**
 * Prepares the flow schemas for the classification of requests. Schemas apply in the order of their matching
 * precedence, then of their name. A schema whose priority level does not exist is ignored. The mandatory schemas and
 * levels exist even when they are not stored.
 *
 * @param schemas the stored flow schemas, with different names
 * @param levels the stored priority levels
 */
export function flowClassifier(schemas: readonly FlowSchema[], levels: readonly PriorityLevel[]): FlowClassifier {
  const known = new Map(levelsInForce(levels).map((level) => [level.metadata?.name ?? '', level]));
  const compiled = schemasInForce(schemas, levels).flatMap((schema) => compileSchema(schema, known));
  const catchAll = compiled.find(({ base }) => base.flowSchema.name === CATCH_ALL);
  if (catchAll === undefined) throw new Error('unreachable: the schema catch-all is always in force');
  const index = new RuleIndex(compiled.flatMap((item) => item.rules.map((rule) => ({ rule, item }))));
  return {
    classify({ user, request }) {
      const { base, distinguisher } = index.find(user, request) ?? catchAll;
      if (distinguisher === undefined) return base;
      return {
        flowSchema: base.flowSchema,
        priorityLevel: base.priorityLevel,
        flowDistinguisher: distinguisher === 'username' ? user.username : request.namespace,
        distinguisherMethod: base.distinguisherMethod,
      };
    },
  };
}

/** Reads a stored flow schema. @throws TypeError when its rules do not have the shape of rules */
export function readFlowSchema(schema: FlowSchema): FlowSchema {
  new RuleIndex((schema.spec?.rules ?? []).map((rule) => ({ rule, item: schema })));
  return schema;
}

/** Returns whether the priority level of a schema does not exist, so that the schema is ignored. */
export function isDangling({ spec }: FlowSchema, levels: readonly PriorityLevel[]): boolean {
  const level = levels.find(({ metadata }) => metadata?.name === spec?.priorityLevelConfiguration.name);
  return level === undefined || !isUsableLevel(level);
}

/**
 * Returns the flow schemas that are in force, in the order in which they are tried. The mandatory schemas that are
 * missing or dangling are supplied in their places, without a uid.
 */
export function schemasInForce(schemas: readonly FlowSchema[], levels: readonly PriorityLevel[]): FlowSchema[] {
  const usable = schemas.filter((schema) => !isDangling(schema, levels)).sort(byPrecedence);
  const supplied = (name: string): FlowSchema[] =>
    usable.some(({ metadata }) => metadata?.name === name)
      ? []
      : [{ metadata: { name }, spec: mandatoryFlowSchemas.get(name) }];
  return [...supplied(EXEMPT), ...usable, ...supplied(CATCH_ALL)];
}

function byPrecedence(first: FlowSchema, second: FlowSchema): number {
  const difference = (first.spec?.matchingPrecedence ?? 0) - (second.spec?.matchingPrecedence ?? 0);
  if (difference !== 0) return difference;
  return (first.metadata?.name ?? '') < (second.metadata?.name ?? '') ? -1 : 1;
}

function compileSchema({ metadata, spec }: FlowSchema, levels: ReadonlyMap<string, PriorityLevel>): CompiledSchema[] {
  const level = levels.get(spec?.priorityLevelConfiguration.name ?? '');
  if (spec === undefined || level === undefined) return [];
  const method = spec.distinguisherMethod?.type;
  const distinguisherMethod = method === 'ByUser' || method === 'ByNamespace' ? method : undefined;
  return [
    {
      rules: spec.rules ?? [],
      base: Object.freeze({
        flowSchema: Object.freeze({ name: metadata?.name ?? '', uid: metadata?.uid ?? '' }),
        priorityLevel: Object.freeze({ name: level.metadata?.name ?? '', uid: level.metadata?.uid ?? '' }),
        flowDistinguisher: '',
        distinguisherMethod,
      }),
      distinguisher: hasSeveralQueues(level) ? DISTINGUISHERS[distinguisherMethod ?? 'none'] : undefined,
    },
  ];
}

const DISTINGUISHERS = { ByUser: 'username', ByNamespace: 'namespace', none: undefined } as const;

const hasSeveralQueues = ({ spec }: PriorityLevel): boolean => (spec?.limited?.limitResponse?.queuing?.queues ?? 0) > 1;
