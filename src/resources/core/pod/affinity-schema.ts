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
      matchExpressions: omitted(1, nodeSelectorRequirements(), { description: "Requirements on the node's labels." }),
      matchFields: omitted(2, nodeSelectorRequirements(), { description: "Requirements on the node's fields." }),
    },
    { mapType: 'atomic' },
  ),
);

const nodeSelector = once(() =>
  struct(
    'NodeSelector',
    {
      nodeSelectorTerms: always(1, atomicList(nodeSelectorTerm()), { description: 'Terms. At least one must match.' }),
    },
    { mapType: 'atomic' },
  ),
);

const podAffinityTerm = once(() =>
  struct('PodAffinityTerm', {
    labelSelector: optional(1, labelSelector(), { description: 'Selects the pods; absent selects none.' }),
    namespaces: omitted(2, atomicList(z.string()), { description: "Namespaces of the pods; default this pod's." }),
    topologyKey: always(3, z.string(), { description: 'Node label whose values define the topology domains.' }),
    namespaceSelector: optional(4, labelSelector(), {
      description: 'Selects further namespaces of the pods by label.',
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
      description: 'Required terms.',
    }),
    preferredDuringSchedulingIgnoredDuringExecution: omitted(2, atomicList(weightedPodAffinityTerm()), {
      description: 'Preferred terms, by weight.',
    }),
  });

const weightedPodAffinityTerm = once(() =>
  struct('WeightedPodAffinityTerm', {
    weight: always(1, int32(), { description: '1 to 100.' }),
    podAffinityTerm: always(2, podAffinityTerm()),
  }),
);

/** Affinity of a pod to nodes and to other pods. */
export const affinity = once(() =>
  struct('Affinity', {
    nodeAffinity: optional(
      1,
      struct('NodeAffinity', {
        requiredDuringSchedulingIgnoredDuringExecution: optional(1, nodeSelector(), { description: 'Required terms.' }),
        preferredDuringSchedulingIgnoredDuringExecution: omitted(
          2,
          atomicList(
            struct('PreferredSchedulingTerm', {
              weight: always(1, int32(), { description: '1 to 100.' }),
              preference: always(2, nodeSelectorTerm()),
            }),
          ),
          { description: 'Preferred terms, by weight.' },
        ),
      }),
      { description: 'Node affinity.' },
    ),
    podAffinity: optional(2, podAffinity('PodAffinity'), { description: 'Affinity to other pods.' }),
    podAntiAffinity: optional(3, podAffinity('PodAntiAffinity'), { description: 'Anti-affinity to other pods.' }),
  }),
);

/** A toleration of a taint. */
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
    tolerationSeconds: optional(5, int64(), {
      description: 'Seconds before eviction, for NoExecute; absent for no limit.',
    }),
  }),
);

/** A topology spread constraint. */
export const topologySpreadConstraint = once(() =>
  struct('TopologySpreadConstraint', {
    maxSkew: always(1, int32(), { description: 'Maximum difference of the number of pods between domains.' }),
    topologyKey: always(2, z.string(), { description: 'Node label whose values define the topology domains.' }),
    whenUnsatisfiable: always(
      3,
      goNamed('v1.UnsatisfiableConstraintAction', enumOf('DoNotSchedule', 'ScheduleAnyway')),
      {
        description: 'DoNotSchedule or ScheduleAnyway.',
      },
    ),
    labelSelector: optional(4, labelSelector(), { description: 'The pods that are counted.' }),
    minDomains: optional(5, int32(), { description: 'Minimum number of domains.' }),
    nodeAffinityPolicy: optional(6, goNamed('v1.NodeInclusionPolicy', enumOf('Honor', 'Ignore')), {
      description: 'Honor or Ignore.',
    }),
    nodeTaintsPolicy: optional(7, goNamed('v1.NodeInclusionPolicy', enumOf('Honor', 'Ignore')), {
      description: 'Honor or Ignore.',
    }),
    matchLabelKeys: omitted(8, atomicList(z.string()), { description: "Labels whose value must be this pod's." }),
  }),
);
