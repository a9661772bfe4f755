import { describe, expect, it } from 'vitest';
import { PodTemplate, ReplicationController } from '../../../../src/kinds/builtin/core/kinds.js';
import { cells, decode, type Changes } from '../support.js';
import { KindTests, labels, storedTemplate, template } from '../workloads.js';

await ReplicationController.prepare?.();
await PodTemplate.prepare?.();

describe('ReplicationController', () => {
  const tests = new KindTests(ReplicationController, { spec: { template: template() } });

  it('takes the selector and its labels from the template', () => {
    const object = decode(ReplicationController, { spec: { template: template() } });
    expect(object['spec']).toEqual({ replicas: 1, selector: labels, template: storedTemplate() });
    expect(object.metadata.labels).toEqual(labels);
  });

  it('keeps a selector and labels that are set', () => {
    const given = { metadata: { labels: { a: 'b' } }, spec: { selector: { app: 'web' }, template: template() } };
    const object = decode(ReplicationController, given);
    expect(object.metadata.labels).toEqual({ a: 'b' });
    expect(object['spec']).toMatchObject({ selector: { app: 'web' } });
  });

  it.each<[string, Changes, string[]]>([
    ['a valid object', {}, []],
    ['no template', { 'spec.template': undefined }, ['spec.selector: Required value', 'spec.template: Required value']],
    [
      'negative numbers',
      { 'spec.replicas': -1, 'spec.minReadySeconds': -1 },
      [
        'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'labels that are not selected',
      { 'spec.selector': { app: 'api' } },
      [
        'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'pods that end',
      { 'spec.template.spec.restartPolicy': 'Never', 'spec.template.spec.activeDeadlineSeconds': 1 },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
      ],
    ],
  ])('validates %s', (_name, changes, errors) => {
    expect(tests.problems(changes)).toEqual(errors);
  });

  it('may change its selector', () => {
    const { after, errors } = tests.update({
      'spec.selector': { a: 'b' },
      'spec.template.metadata.labels': { a: 'b' },
    });
    expect(errors).toEqual([]);
    expect(after.metadata.generation).toBe(2);
  });

  it('validates the status', () => {
    expect(tests.stored()['status']).toEqual({ replicas: 0 });
    expect(tests.updateStatus({ status: { replicas: 0, availableReplicas: 1 } }).errors).toEqual([
      'status.availableReplicas: Invalid value: 1: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
    ]);
  });

  it('has cells', () => {
    expect(cells(ReplicationController, tests.stored())).toEqual({
      ...{ Name: 'web', Desired: 1, Current: 0, Ready: 0, Age: '<unknown>' },
      ...{ Containers: 'web', Images: 'nginx:1', Selector: 'app=web' },
    });
  });
});

describe('PodTemplate', () => {
  const tests = new KindTests(PodTemplate, { template: template() });

  it('fills in the pods', () => {
    expect(decode(PodTemplate, { template: template() })['template']).toEqual(storedTemplate());
  });

  it('validates the pods', () => {
    expect(tests.problems({})).toEqual([]);
    expect(tests.problems({ 'template.spec.containers': [] })).toEqual(['template.spec.containers: Required value']);
    expect(tests.update({ 'template.spec.containers': [] }).errors).toEqual([
      'template.spec.containers: Required value',
    ]);
  });

  it('counts changes of the template', () => {
    expect(tests.stored().metadata.generation).toBe(1);
    expect(tests.update({ 'template.spec.priority': 1 }).after.metadata.generation).toBe(2);
    expect(tests.update({ 'metadata.labels': { a: 'b' } }).after.metadata.generation).toBe(1);
  });

  it('has cells', () => {
    expect(cells(PodTemplate, tests.stored())).toEqual({
      ...{ Name: 'web', Containers: 'web', Images: 'nginx:1', 'Pod Labels': 'app=web' },
    });
  });
});
