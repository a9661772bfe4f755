// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"LeaseCandidate","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"spec","type":"ref","omitempty":true,"number":2,"ref":"coordination.v1alpha1.LeaseCandidateSpec"}]}
{"name":"LeaseCandidateSpec","fields":[{"name":"leaseName","type":"string","required":true,"number":1},{"name":"pingTime","type":"microTime","pointer":true,"omitempty":true,"number":2},{"name":"renewTime","type":"microTime","pointer":true,"omitempty":true,"number":3},{"name":"binaryVersion","type":"string","omitempty":true,"number":4},{"name":"emulationVersion","type":"string","omitempty":true,"number":5},{"name":"preferredStrategies","type":"array","omitempty":true,"required":true,"number":6,"items":{"type":"string"},"listType":"atomic"}]}
`;
