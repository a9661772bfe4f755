import * as z from 'zod';
import {
  always,
  atomicList,
  enumOf,
  goNamed,
  int32,
  int64,
  optional,
  omitted,
  struct,
} from '../../../schema/vocabulary.js';
import { labelSelector } from '../../shared/label-selector.js';
import { TAINT_EFFECTS } from '../taint-effect.js';
import { once } from '../../shared/once.js';

const nodeSelectorRequirements = once(() =>
  atomicList(
    struct('NodeSelectorRequirement', {
      key: always(1, z.string(), { description: 'Key of the label.' }),
      operator: always(
        2,
        goNamed('v1.NodeSelectorOperator', enumOf('DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn')),
        {
          description: 'In, NotIn, Exists, DoesNotExist, Gt or Lt.',
        },
      ),
      values: omitted(3, atomicList(z.string()), {
        description: 'Values to compare with: some for In and NotIn, one for Gt and Lt, none otherwise.',
      }),
    }),
  ),
);

const nodeSelectorTerm = once(() =>
  struct(
    'NodeSelectorTerm',
    {
      matchExpressions: omitted(1, nodeSelectorRequirements(), { description: "Conditions on the node's labels." }),
      matchFields: omitted(2, nodeSelectorRequirements(), { description: "Conditions on the node's fields." }),
    },
    { mapType: 'atomic' },
  ),
);

const nodeSelector = once(() =>
  struct(
    'NodeSelector',
    { nodeSelectorTerms: always(1, atomicList(nodeSelectorTerm()), { description: 'Terms, one of which must hold.' }) },
    { mapType: 'atomic' },
  ),
);

const podAffinityTerm = once(() =>
  struct('PodAffinityTerm', {
    labelSelector: optional(1, labelSelector(), { description: 'The pods; absent selects none.' }),
    namespaces: omitted(2, atomicList(z.string()), { description: "Namespaces of the pods; default this pod's." }),
    topologyKey: always(3, z.string(), { description: 'Node label that says what "together" means.' }),
    namespaceSelector: optional(4, labelSelector(), {
      description: 'Namespaces of the pods by label, besides those listed.',
    }),
    matchLabelKeys: omitted(5, atomicList(z.string()), { description: "Labels whose value must be this pod's." }),
    mismatchLabelKeys: omitted(6, atomicList(z.string()), {
      description: "Labels whose value must not be this pod's.",
    }),
  }),
);

const podAffinity = (name: string) =>
  struct(name, {
    requiredDuringSchedulingIgnoredDuringExecution: omitted(1, atomicList(podAffinityTerm()), {
      description: 'What must hold.',
    }),
    preferredDuringSchedulingIgnoredDuringExecution: omitted(2, atomicList(weightedPodAffinityTerm()), {
      description: 'What should hold, by weight.',
    }),
  });

const weightedPodAffinityTerm = once(() =>
  struct('WeightedPodAffinityTerm', {
    weight: always(1, int32(), { description: '1 to 100.' }),
    podAffinityTerm: always(2, podAffinityTerm()),
  }),
);

/** Where a pod wants to be, and beside whom. */
export const affinity = once(() =>
  struct('Affinity', {
    nodeAffinity: optional(
      1,
      struct('NodeAffinity', {
        requiredDuringSchedulingIgnoredDuringExecution: optional(1, nodeSelector(), { description: 'What must hold.' }),
        preferredDuringSchedulingIgnoredDuringExecution: omitted(
          2,
          atomicList(
            struct('PreferredSchedulingTerm', {
              weight: always(1, int32(), { description: '1 to 100.' }),
              preference: always(2, nodeSelectorTerm()),
            }),
          ),
          { description: 'What should hold, by weight.' },
        ),
      }),
      { description: 'Which nodes.' },
    ),
    podAffinity: optional(2, podAffinity('PodAffinity'), { description: 'Together with which pods.' }),
    podAntiAffinity: optional(3, podAffinity('PodAntiAffinity'), { description: 'Apart from which pods.' }),
  }),
);

/** A taint of nodes that the pod puts up with. */
export const toleration = once(() =>
  struct('Toleration', {
    key: omitted(1, z.string(), { description: 'Key of the taint; empty with operator Exists for all.' }),
    operator: omitted(2, goNamed('v1.TolerationOperator', enumOf('Equal', 'Exists')), {
      description: 'Equal or Exists; default Equal.',
    }),
    value: omitted(3, z.string(), { description: 'Value of the taint, for Equal.' }),
    effect: omitted(4, goNamed('v1.TaintEffect', enumOf(...TAINT_EFFECTS)), {
      description: 'NoSchedule, PreferNoSchedule or NoExecute; empty for all.',
    }),
    tolerationSeconds: optional(5, int64(), { description: 'Seconds to stay, for NoExecute; absent for ever.' }),
  }),
);

/** How pods are spread over the parts of the cluster. */
export const topologySpreadConstraint = once(() =>
  struct('TopologySpreadConstraint', {
    maxSkew: always(1, int32(), { description: 'By how many pods the parts may differ.' }),
    topologyKey: always(2, z.string(), { description: 'Node label whose values are the parts.' }),
    whenUnsatisfiable: always(
      3,
      goNamed('v1.UnsatisfiableConstraintAction', enumOf('DoNotSchedule', 'ScheduleAnyway')),
      {
        description: 'DoNotSchedule or ScheduleAnyway.',
      },
    ),
    labelSelector: optional(4, labelSelector(), { description: 'The pods that are counted.' }),
    minDomains: optional(5, int32(), { description: 'Parts that there must be at least.' }),
    nodeAffinityPolicy: optional(6, goNamed('v1.NodeInclusionPolicy', enumOf('Honor', 'Ignore')), {
      description: 'Honor or Ignore.',
    }),
    nodeTaintsPolicy: optional(7, goNamed('v1.NodeInclusionPolicy', enumOf('Honor', 'Ignore')), {
      description: 'Honor or Ignore.',
    }),
    matchLabelKeys: omitted(8, atomicList(z.string()), { description: "Labels whose value must be this pod's." }),
  }),
);
