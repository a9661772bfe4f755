import type { Steps } from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { appsV1 } from '../../../types/index.js';
import { defaultPodTemplate } from '../../core/pod/template.js';
import { defaultClaims } from './claims.js';

const HISTORY_LIMIT = 10;

function defaultUpdateStrategy(spec: appsV1.StatefulSetSpec, { featureGates }: RequestContext): void {
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  const { rollingUpdate } = strategy;
  if (strategy.type !== 'RollingUpdate' || rollingUpdate === undefined) return;
  rollingUpdate.partition ??= 0;
  if (featureGates.enabled('MaxUnavailableStatefulSet')) rollingUpdate.maxUnavailable ??= 1;
}

function defaultRetentionPolicy(spec: appsV1.StatefulSetSpec): void {
  const policy = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  policy.whenDeleted ||= 'Retain';
  policy.whenScaled ||= 'Retain';
}

/** Sets the defaults of a StatefulSet. */
export function* defaultStatefulSet(spec: appsV1.StatefulSetSpec, context: RequestContext): Steps<void> {
  spec.podManagementPolicy ||= 'OrderedReady';
  defaultUpdateStrategy(spec, context);
  if (context.featureGates.enabled('StatefulSetAutoDeletePVC')) defaultRetentionPolicy(spec);
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= HISTORY_LIMIT;
  yield* defaultPodTemplate(spec.template, context);
  defaultClaims(spec);
}
