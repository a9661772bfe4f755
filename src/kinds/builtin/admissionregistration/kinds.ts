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

/** ValidatingAdmissionPolicy of version v1. */
export const ValidatingAdmissionPolicy = builtinKind<admissionregistrationV1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1.ValidatingAdmissionPolicy',
  { load: () => import('./policy.js').then((m) => m.validatingAdmissionPolicy) },
);

/** ValidatingAdmissionPolicyBinding of version v1. */
export const ValidatingAdmissionPolicyBinding = builtinKind<admissionregistrationV1.ValidatingAdmissionPolicyBinding>(
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  { load: () => import('./binding.js').then((m) => m.validatingAdmissionPolicyBinding) },
);

/** ValidatingWebhookConfiguration of version v1. */
export const ValidatingWebhookConfiguration = builtinKind<admissionregistrationV1.ValidatingWebhookConfiguration>(
  'admissionregistration.v1.ValidatingWebhookConfiguration',
  { load: () => import('./webhook-configuration.js').then((m) => m.validatingWebhooks) },
);

/** ValidatingAdmissionPolicy of version v1beta1. */
export const ValidatingAdmissionPolicyV1beta1 = builtinKind<admissionregistrationV1beta1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1beta1.ValidatingAdmissionPolicy',
  { load: () => import('./policy.js').then((m) => m.olderValidatingAdmissionPolicy), hub: ValidatingAdmissionPolicy },
);

/** ValidatingAdmissionPolicyBinding of version v1beta1. */
export const ValidatingAdmissionPolicyBindingV1beta1 =
  builtinKind<admissionregistrationV1beta1.ValidatingAdmissionPolicyBinding>(
    'admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding',
    {
      load: () => import('./binding.js').then((m) => m.olderValidatingAdmissionPolicyBinding),
      hub: ValidatingAdmissionPolicyBinding,
    },
  );

/** ValidatingAdmissionPolicy of version v1alpha1. */
export const ValidatingAdmissionPolicyV1alpha1 = builtinKind<admissionregistrationV1alpha1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicy',
  { load: () => import('./policy.js').then((m) => m.olderValidatingAdmissionPolicy), hub: ValidatingAdmissionPolicy },
);

/** ValidatingAdmissionPolicyBinding of version v1alpha1. */
export const ValidatingAdmissionPolicyBindingV1alpha1 =
  builtinKind<admissionregistrationV1alpha1.ValidatingAdmissionPolicyBinding>(
    'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding',
    {
      load: () => import('./binding.js').then((m) => m.olderValidatingAdmissionPolicyBinding),
      hub: ValidatingAdmissionPolicyBinding,
    },
  );
