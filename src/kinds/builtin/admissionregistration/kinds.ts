import type {
  admissionregistrationV1,
  admissionregistrationV1alpha1,
  admissionregistrationV1beta1,
} from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** MutatingWebhookConfiguration of version v1. */
export const MutatingWebhookConfiguration = builtinKind<admissionregistrationV1.MutatingWebhookConfiguration>(
  'admissionregistration.v1.MutatingWebhookConfiguration',
  { load: () => import('./webhook-configuration.js').then((m) => m.mutatingWebhooks) },
);

/** An object of the kind {@link MutatingWebhookConfiguration}. */
export type MutatingWebhookConfiguration = admissionregistrationV1.MutatingWebhookConfiguration;

/** ValidatingAdmissionPolicy of version v1. */
export const ValidatingAdmissionPolicy = builtinKind<admissionregistrationV1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1.ValidatingAdmissionPolicy',
  { load: () => import('./policy.js').then((m) => m.validatingAdmissionPolicy) },
);

/** An object of the kind {@link ValidatingAdmissionPolicy}. */
export type ValidatingAdmissionPolicy = admissionregistrationV1.ValidatingAdmissionPolicy;

/** ValidatingAdmissionPolicyBinding of version v1. */
export const ValidatingAdmissionPolicyBinding = builtinKind<admissionregistrationV1.ValidatingAdmissionPolicyBinding>(
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  { load: () => import('./binding.js').then((m) => m.validatingAdmissionPolicyBinding) },
);

/** An object of the kind {@link ValidatingAdmissionPolicyBinding}. */
export type ValidatingAdmissionPolicyBinding = admissionregistrationV1.ValidatingAdmissionPolicyBinding;

/** ValidatingWebhookConfiguration of version v1. */
export const ValidatingWebhookConfiguration = builtinKind<admissionregistrationV1.ValidatingWebhookConfiguration>(
  'admissionregistration.v1.ValidatingWebhookConfiguration',
  { load: () => import('./webhook-configuration.js').then((m) => m.validatingWebhooks) },
);

/** An object of the kind {@link ValidatingWebhookConfiguration}. */
export type ValidatingWebhookConfiguration = admissionregistrationV1.ValidatingWebhookConfiguration;

/** ValidatingAdmissionPolicy of version v1beta1. */
export const ValidatingAdmissionPolicyV1beta1 = builtinKind<admissionregistrationV1beta1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1beta1.ValidatingAdmissionPolicy',
  { load: () => import('./policy.js').then((m) => m.olderValidatingAdmissionPolicy), hub: ValidatingAdmissionPolicy },
);

/** An object of the kind {@link ValidatingAdmissionPolicyV1beta1}. */
export type ValidatingAdmissionPolicyV1beta1 = admissionregistrationV1beta1.ValidatingAdmissionPolicy;

/** ValidatingAdmissionPolicyBinding of version v1beta1. */
export const ValidatingAdmissionPolicyBindingV1beta1 =
  builtinKind<admissionregistrationV1beta1.ValidatingAdmissionPolicyBinding>(
    'admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding',
    {
      load: () => import('./binding.js').then((m) => m.olderValidatingAdmissionPolicyBinding),
      hub: ValidatingAdmissionPolicyBinding,
    },
  );

/** An object of the kind {@link ValidatingAdmissionPolicyBindingV1beta1}. */
export type ValidatingAdmissionPolicyBindingV1beta1 = admissionregistrationV1beta1.ValidatingAdmissionPolicyBinding;

/** ValidatingAdmissionPolicy of version v1alpha1. */
export const ValidatingAdmissionPolicyV1alpha1 = builtinKind<admissionregistrationV1alpha1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicy',
  { load: () => import('./policy.js').then((m) => m.olderValidatingAdmissionPolicy), hub: ValidatingAdmissionPolicy },
);

/** An object of the kind {@link ValidatingAdmissionPolicyV1alpha1}. */
export type ValidatingAdmissionPolicyV1alpha1 = admissionregistrationV1alpha1.ValidatingAdmissionPolicy;

/** ValidatingAdmissionPolicyBinding of version v1alpha1. */
export const ValidatingAdmissionPolicyBindingV1alpha1 =
  builtinKind<admissionregistrationV1alpha1.ValidatingAdmissionPolicyBinding>(
    'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding',
    {
      load: () => import('./binding.js').then((m) => m.olderValidatingAdmissionPolicyBinding),
      hub: ValidatingAdmissionPolicyBinding,
    },
  );

/** An object of the kind {@link ValidatingAdmissionPolicyBindingV1alpha1}. */
export type ValidatingAdmissionPolicyBindingV1alpha1 = admissionregistrationV1alpha1.ValidatingAdmissionPolicyBinding;
