import { builtinKind } from '../builtin-kind.js';
import type {
  admissionregistrationV1,
  admissionregistrationV1alpha1,
  admissionregistrationV1beta1,
} from '../../kinds/index.js';
import { plain } from '../plain.js';

/** MutatingWebhookConfiguration of version v1. */
export const MutatingWebhookConfiguration = builtinKind<admissionregistrationV1.MutatingWebhookConfiguration>(
  'admissionregistration.v1.MutatingWebhookConfiguration',
  { load: plain },
);

/** ValidatingAdmissionPolicy of version v1. */
export const ValidatingAdmissionPolicy = builtinKind<admissionregistrationV1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1.ValidatingAdmissionPolicy',
  { load: plain },
);

/** ValidatingAdmissionPolicyBinding of version v1. */
export const ValidatingAdmissionPolicyBinding = builtinKind<admissionregistrationV1.ValidatingAdmissionPolicyBinding>(
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  { load: plain },
);

/** ValidatingWebhookConfiguration of version v1. */
export const ValidatingWebhookConfiguration = builtinKind<admissionregistrationV1.ValidatingWebhookConfiguration>(
  'admissionregistration.v1.ValidatingWebhookConfiguration',
  { load: plain },
);

/** ValidatingAdmissionPolicy of version v1beta1. */
export const ValidatingAdmissionPolicyV1beta1 = builtinKind<admissionregistrationV1beta1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1beta1.ValidatingAdmissionPolicy',
  { load: plain, hub: ValidatingAdmissionPolicy },
);

/** ValidatingAdmissionPolicyBinding of version v1beta1. */
export const ValidatingAdmissionPolicyBindingV1beta1 =
  builtinKind<admissionregistrationV1beta1.ValidatingAdmissionPolicyBinding>(
    'admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding',
    { load: plain, hub: ValidatingAdmissionPolicyBinding },
  );

/** ValidatingAdmissionPolicy of version v1alpha1. */
export const ValidatingAdmissionPolicyV1alpha1 = builtinKind<admissionregistrationV1alpha1.ValidatingAdmissionPolicy>(
  'admissionregistration.v1alpha1.ValidatingAdmissionPolicy',
  { load: plain, hub: ValidatingAdmissionPolicy },
);

/** ValidatingAdmissionPolicyBinding of version v1alpha1. */
export const ValidatingAdmissionPolicyBindingV1alpha1 =
  builtinKind<admissionregistrationV1alpha1.ValidatingAdmissionPolicyBinding>(
    'admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding',
    { load: plain, hub: ValidatingAdmissionPolicyBinding },
  );
