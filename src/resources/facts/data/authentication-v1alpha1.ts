// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"SelfSubjectReview","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"status","type":"ref","omitempty":true,"number":2,"ref":"authentication.v1alpha1.SelfSubjectReviewStatus"}]}
{"name":"SelfSubjectReviewStatus","fields":[{"name":"userInfo","type":"ref","omitempty":true,"number":1,"ref":"authentication.v1.UserInfo"}]}
`;
