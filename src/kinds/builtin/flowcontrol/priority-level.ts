import {
  appendErrors,
  FieldErrorList,
  forbidden,
  groupName,
  systemGroup,
  type Dialect,
  type FieldError,
  type ObjectMeta,
} from '../../../foundation/index.js';
import { statusSubresource, type Strategy } from '../../../registry/index.js';
import type { flowcontrolV1, flowcontrolV1beta3 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { ownStatus } from '../shared/status-writes.js';
import { conditionErrors } from './validate-conditions.js';
import { priorityLevelErrors } from './validate-priority-level.js';

type PriorityLevel = flowcontrolV1.PriorityLevelConfiguration;
type OlderPriorityLevel = flowcontrolV1beta3.PriorityLevelConfiguration;

const QUEUING_DEFAULTS = { queues: 64, handSize: 8, queueLengthLimit: 50 };
const DEFAULT_SHARES = 30;

/** Group of the annotation of version v1beta3, whose zero shares mean the default. */
const ANNOTATION_GROUP = systemGroup('flowcontrol');
const PRESERVES_ZERO = '/v1beta3-preserve-zero-concurrency-shares';
const annotationOf = (dialect: Dialect): string => groupName(ANNOTATION_GROUP, dialect) + PRESERVES_ZERO;

type Queuing = { [Field in keyof typeof QUEUING_DEFAULTS]?: number | undefined };

/** Sets the defaults of queues: the fields are always written, so the schema takes their zeros for values. */
function setQueuingDefaults(queuing: Queuing | undefined): void {
  if (queuing === undefined) return;
  for (const field of ['queues', 'handSize', 'queueLengthLimit'] as const)
    if (queuing[field] === 0) queuing[field] = QUEUING_DEFAULTS[field];
}

/** The annotation is only for objects of version v1beta3, from which the conversion removes it. */
function annotationErrors({ annotations }: ObjectMeta, dialect: Dialect): FieldError[] {
  const key = annotationOf(dialect);
  return annotations?.[key] === undefined
    ? []
    : [forbidden('metadata.annotations', `annotation '${key}' is forbidden`)];
}

const cells: Behaviour<PriorityLevel>['cells'] = {
  Type: ({ spec }) => spec?.type ?? '',
  NominalConcurrencyShares: ({ spec }) =>
    spec?.limited === undefined ? NONE : (spec.limited.nominalConcurrencyShares ?? 0),
  Queues: ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues ?? NONE,
  HandSize: ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize ?? NONE,
  QueueLengthLimit: ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit ?? NONE,
};

const common = {
  countsGeneration: true,
  ...ownStatus<StoredKind<PriorityLevel>>(),
} satisfies Strategy<StoredKind<PriorityLevel>>;

const subresources: Behaviour<PriorityLevel>['subresources'] = {
  status: {
    ...statusSubresource.strategy,
    validateUpdate: ({ status }, _old, { work }) => conditionErrors(status?.conditions, work),
  },
};

/** Priority levels, among which the capacity of a server is divided. */
export const priorityLevel: Behaviour<PriorityLevel> = {
  strategy: {
    ...common,
    defaults: ({ spec }) => setQueuingDefaults(spec?.limited?.limitResponse?.queuing),
    *validate({ metadata, spec }, { dialect }) {
      const errors = new FieldErrorList();
      appendErrors(errors, annotationErrors(metadata, dialect));
      if (spec !== undefined) appendErrors(errors, yield* priorityLevelErrors(metadata.name ?? '', spec));
      return errors;
    },
  },
  subresources,
  cells,
};

/** Converts to version v1, where zero shares are zero shares. */
function toHub({ metadata, ...level }: StoredKind<OlderPriorityLevel>, dialect: Dialect): StoredKind<PriorityLevel> {
  const { annotations: given, ...others } = metadata;
  const { [annotationOf(dialect)]: preserved, ...annotations } = given ?? {};
  if (preserved === undefined || level.spec?.limited === undefined) return { ...level, metadata };
  return { ...level, metadata: Object.keys(annotations).length === 0 ? others : { ...others, annotations } };
}

/** Converts to version v1beta3; an annotation marks zero shares. */
function fromHub({ metadata, ...level }: StoredKind<PriorityLevel>, dialect: Dialect): StoredKind<OlderPriorityLevel> {
  const { limited } = level.spec ?? {};
  const older = level as StoredKind<OlderPriorityLevel>;
  if (limited === undefined || (limited.nominalConcurrencyShares ?? 0) !== 0) return { ...older, metadata };
  const annotations = { ...metadata.annotations, [annotationOf(dialect)]: '' };
  return { ...older, metadata: { ...metadata, annotations } };
}

/** {@link priorityLevel} in version v1beta3. */
export const priorityLevelV1beta3: Behaviour<OlderPriorityLevel> = {
  strategy: {
    countsGeneration: true,
    ...ownStatus(),
    defaults({ metadata, spec }, { dialect }) {
      setQueuingDefaults(spec?.limited?.limitResponse?.queuing);
      const preserves = metadata.annotations?.[annotationOf(dialect)] !== undefined;
      if (spec?.limited !== undefined && (spec.limited.nominalConcurrencyShares ?? 0) === 0 && !preserves)
        spec.limited.nominalConcurrencyShares = DEFAULT_SHARES;
    },
    validate: ({ metadata, spec }) => (spec === undefined ? [] : priorityLevelErrors(metadata.name ?? '', spec)),
  },
  subresources: {
    status: {
      ...statusSubresource.strategy,
      validateUpdate: ({ status }, _old, { work }) => conditionErrors(status?.conditions, work),
    },
  },
  ...(cells === undefined ? {} : { cells }),
  conversion: { toHub, fromHub },
};
