// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** The object types of the package, one in each line. */
export const types = String.raw`
{"name":"PriorityClass","fields":[{"name":"metadata","type":"ref","omitempty":true,"number":1,"ref":"meta.v1.ObjectMeta"},{"name":"value","type":"int32","required":true,"number":2},{"name":"globalDefault","type":"bool","omitempty":true,"number":3},{"name":"description","type":"string","omitempty":true,"number":4},{"name":"preemptionPolicy","type":"string","pointer":true,"omitempty":true,"number":5,"enum":["Never","PreemptLowerPriority"],"default":"PreemptLowerPriority"}]}
`;
