import type { JsonObject } from '../../foundation/index.js';
import type { Route } from './route.js';
import { COMMAND_LIMIT, itemsOf, objectOf, reference, success, SUCCESS, text } from './schemas.js';
import { notSupported, type ServedServer } from './served-servers.js';

const selection = (description: string): JsonObject => ({
  anyOf: [{ type: 'string' }, { type: 'object' }],
  description,
});

/** The commands about simulated pods and nodes. */
export const simulationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/simulation/rules',
    operationId: 'listSimulationRules',
    summary: 'Lists the rules about simulated pods and nodes, with how many of them have followed each.',
    success: { code: 200, schema: itemsOf(reference('SimulationRule')) },
    run: ({ served }) => {
      simulationOf(served);
      return served.rules.list();
    },
  },
  {
    method: 'POST',
    path: '/simulation/rules',
    operationId: 'addSimulationRule',
    summary:
      'Adds a rule that says what simulated pods or nodes become, log or use. The newest one that matches counts.',
    body: {
      schema: objectOf(
        {
          pods: selection('The pods that the rule is about: a label selector, or conditions.'),
          nodes: selection('The nodes that the rule is about: a name, or conditions.'),
          become: text('An outcome, such as CrashLoopBackOff of pods or NotReady of nodes.'),
          options: { type: 'object', description: 'Options of what pods become, such as {"exitCode": 2}.' },
          log: {
            anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
            description: 'The log of the containers.',
          },
          use: { type: 'object', description: 'What each container uses: {"cpu": "250m", "memory": "64Mi"}.' },
        },
        [],
      ),
      limit: COMMAND_LIMIT,
    },
    success: { code: 201, schema: reference('SimulationRule') },
    run: ({ served, servers, body }) => served.rules.add(simulationOf(served), body, servers),
  },
  {
    method: 'DELETE',
    path: '/simulation/rules',
    operationId: 'clearSimulationRules',
    summary: 'Removes all rules that were added to the server.',
    success,
    run: ({ served }) => {
      simulationOf(served);
      served.rules.removeAll();
      return SUCCESS;
    },
  },
  {
    method: 'DELETE',
    path: '/simulation/rules/{rule}',
    operationId: 'removeSimulationRule',
    summary: 'Removes a rule, and returns how many pods or nodes have followed it.',
    success: { code: 200, schema: reference('SimulationRule') },
    run: ({ served, parameters: { rule: id = '' } }) => {
      simulationOf(served);
      return served.rules.remove(id);
    },
  },
];

const simulationOf = ({ server }: ServedServer) => server.simulation ?? notSupported('simulated nodes');
