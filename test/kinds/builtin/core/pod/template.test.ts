import { atOnce } from '../../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import {
  defaultPodTemplate,
  dropDisabledTemplateFields,
  podTemplateWarnings,
  validatePodTemplate,
} from '../../../../../src/kinds/builtin/core/pod/template.js';
import type { PodTemplateSpec, UnvalidatedTemplate } from '../../../../../src/kinds/builtin/core/pod/types.js';
import { context, contextOf, kubernetes, texts } from '../../support.js';

const PATH = 'spec.template';
const templateOf = (spec: object = {}, metadata: object = {}): PodTemplateSpec => {
  const template = { metadata, spec: { containers: [{ name: 'main', image: 'i' }], ...spec } } as UnvalidatedTemplate;
  atOnce(defaultPodTemplate(template, context));
  return template as PodTemplateSpec;
};
const problems = (template: PodTemplateSpec, old?: PodTemplateSpec): string[] =>
  texts(validatePodTemplate(PATH, template, context, old));

describe('the defaults of a pod template', () => {
  it('are those of a pod, without the ones that only pods have', () => {
    const { spec } = templateOf({
      hostNetwork: true,
      containers: [
        {
          name: 'main',
          image: 'i',
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: '1' } },
        },
      ],
    });
    expect(spec).toEqual({
      hostNetwork: true,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      containers: [
        {
          name: 'main',
          image: 'i',
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          resources: { limits: { cpu: '1' } },
        },
      ],
    });
  });

  it('need a template', () => {
    expect(atOnce(defaultPodTemplate(undefined, context))).toBeUndefined();
    const template: UnvalidatedTemplate = {};
    atOnce(defaultPodTemplate(template, contextOf()));
    expect(template.spec).toMatchObject({ restartPolicy: 'Always' });
  });
});

describe('the validation of a pod template', () => {
  it('names fields by the path of the template', () => {
    expect(problems(templateOf())).toEqual([]);
    const template = templateOf(
      {
        containers: [{ name: 'A', image: '' }],
        volumes: [{ name: 'v', hostPath: {} }],
        ephemeralContainers: [{ name: 'e', image: 'i', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }],
      },
      { labels: { a: '!' }, annotations: { '!': '' } },
    );
    expect(problems(template).map((problem) => problem.split(':')[0])).toEqual([
      'spec.template.labels',
      'spec.template.annotations',
      'spec.template.spec.volumes[0].hostPath.path',
      'spec.template.spec.containers[0].name',
      'spec.template.spec.containers[0].image',
      'spec.template.spec.ephemeralContainers',
    ]);
    expect(problems({})).toContain('spec.template.spec.containers: Required value');
  });

  it('keeps values that an old template has', () => {
    const template = templateOf({
      containers: [{ name: 'main', image: 'i', resources: { limits: { 'hugepages-2Mi': '1Mi', cpu: '1' } } }],
    });
    expect(problems(template)).not.toEqual([]);
    expect(problems(template, template)).toEqual([]);
  });
});

describe('the warnings of a pod template', () => {
  it('name fields by the path of the template', () => {
    const template = templateOf(
      {
        containers: [{ name: 'main', image: 'i', env: [{ name: 'A' }, { name: 'A' }] }],
        terminationGracePeriodSeconds: -1,
      },
      { annotations: { 'scheduler.alpha.kubernetes.io/critical-pod': '' } },
    );
    expect([...atOnce(podTemplateWarnings(PATH, template, undefined, contextOf(kubernetes)))]).toEqual([
      'spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ]);
    expect([...atOnce(podTemplateWarnings(PATH, {}, undefined, context))]).toEqual([]);
  });
});

describe('disabled features', () => {
  const volume = { name: 'v', image: { reference: 'r' } };
  const mount = { name: 'v', mountPath: '/v' };
  const main = (more: object) => ({ containers: [{ name: 'main', image: 'i', ...more }] });
  /** A spec with fields of a feature, and the spec without them. */
  const cases: Readonly<Record<string, readonly [spec: object, without: object]>> = {
    UserNamespacesSupport: [{ hostUsers: false }, {}],
    SupplementalGroupsPolicy: [{ securityContext: { supplementalGroupsPolicy: 'Strict' } }, { securityContext: {} }],
    ProcMountType: [
      main({ securityContext: { procMount: 'Unmasked' } }),
      main({ securityContext: { procMount: 'Default' } }),
    ],
    DynamicResourceAllocation: [
      { resourceClaims: [{ name: 'c' }], ...main({ resources: { claims: [{ name: 'c' }] } }) },
      main({ resources: {} }),
    ],
    InPlacePodVerticalScaling: [
      main({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
      main({}),
    ],
    SidecarContainers: [
      { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
      { initContainers: [{ name: 's' }] },
    ],
    RecursiveReadOnlyMounts: [
      main({ volumeMounts: [{ ...mount, recursiveReadOnly: 'Enabled' }] }),
      main({ volumeMounts: [mount] }),
    ],
    PodLifecycleSleepAction: [
      main({ lifecycle: { preStop: { sleep: { seconds: 1 } }, postStart: { exec: {}, sleep: { seconds: 1 } } } }),
      main({ lifecycle: { postStart: { exec: {} } } }),
    ],
    ImageVolume: [{ volumes: [volume], ...main({ volumeMounts: [mount] }) }, main({})],
    ClusterTrustBundleProjection: [
      { volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } }] },
      { volumes: [{ name: 'v', projected: { sources: [{}] } }] },
    ],
    MatchLabelKeysInPodTopologySpread: [
      { topologySpreadConstraints: [{ topologyKey: 't', matchLabelKeys: ['k'] }] },
      { topologySpreadConstraints: [{ topologyKey: 't' }] },
    ],
    NodeInclusionPolicyInPodTopologySpread: [
      { topologySpreadConstraints: [{ topologyKey: 't', nodeTaintsPolicy: 'Honor', nodeAffinityPolicy: 'Ignore' }] },
      { topologySpreadConstraints: [{ topologyKey: 't' }] },
    ],
    MatchLabelKeysInPodAffinity: [
      {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { topologyKey: 't', matchLabelKeys: ['a'], mismatchLabelKeys: ['b'] } },
            ],
          },
        },
      },
      {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 't' } }],
          },
        },
      },
    ],
  };
  const written = (gate: string, enabled: boolean, spec: object, old?: PodTemplateSpec): unknown => {
    const template = structuredClone({ spec: { ...main({}), ...spec } }) as UnvalidatedTemplate;
    atOnce(dropDisabledTemplateFields(template, old, contextOf(kubernetes, { [gate]: enabled })));
    return template.spec;
  };

  it.each(Object.entries(cases))('%s loses its fields, unless they are in use', (gate, [spec, without]) => {
    const complete = { ...main({}), ...spec };
    expect(written(gate, true, spec)).toEqual(complete);
    expect(written(gate, false, spec)).toEqual({ ...main({}), ...without });
    expect(written(gate, false, spec, { spec: complete } as PodTemplateSpec)).toEqual(complete);
    expect(written(gate, false, spec, { spec: main({}) } as PodTemplateSpec)).toEqual({ ...main({}), ...without });
  });

  it('change nothing without a template', () => {
    atOnce(dropDisabledTemplateFields(undefined, undefined, context));
    const template: UnvalidatedTemplate = {};
    atOnce(dropDisabledTemplateFields(template, undefined, context));
    expect(template).toEqual({});
  });
});
