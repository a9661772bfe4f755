import type { certificatesV1alpha1 } from '../../types/index.js';
import type { FieldsOf } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';

/** CA certificates that every user may read (identity-resources.md, "ClusterTrustBundle"). */
export const ClusterTrustBundle = builtinKind<certificatesV1alpha1.ClusterTrustBundle>(
  'certificates.v1alpha1.ClusterTrustBundle',
  { load: () => import('./bundle-behaviour.js').then((module) => module.bundleBehaviour) },
);

/** An object of the kind {@link ClusterTrustBundle}. */
export type ClusterTrustBundle = certificatesV1alpha1.ClusterTrustBundle;

/** The fields of a ClusterTrustBundle. */
export type ClusterTrustBundleFields = FieldsOf<certificatesV1alpha1.ClusterTrustBundle>;
