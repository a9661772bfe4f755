import { describe, expect, it } from 'vitest';
import {
  authorizerLibrary,
  authorizerSelectorsLibrary,
  authorizerType,
  authorizerValue,
  boolType,
  createCelEnvironment,
  dynType,
  requestResourceValue,
  resourceCheckType,
  storedExpressionLibraries,
  stringType,
  type AuthorizationCheck,
} from '../../../src/machinery/cel/index.js';
import { compileProblem, evaluate } from './support.js';

describe('url', () => {
  const complete = "url('https://user:pass@example.com:80/path?query=val#fragment')";
  it.each<[string, unknown]>([
    [`${complete}.getScheme()`, 'https'],
    [`${complete}.getHost()`, 'example.com:80'],
    [`${complete}.getHostname()`, 'example.com'],
    [`${complete}.getPort()`, '80'],
    [`${complete}.getEscapedPath()`, '/path'],
    [`${complete}.getQuery()`, new Map([['query', ['val']]])],
    ["url('/path').getScheme() + url('/path').getHost() + url('/path').getPort()", ''],
    ["url('HTTPS://[::1]:80/').getScheme()", 'https'],
    ["url('https://[::1]:80/').getHost()", '[::1]:80'],
    ["url('https://[::1]:80/').getHostname()", '::1'],
    ["url('https://[fe80::1%25en0]/').getHostname()", 'fe80::1%en0'],
    ["url('https://example.com/path with spaces/').getEscapedPath()", '/path%20with%20spaces/'],
    ["url('https://example.com/a%2Fb').getEscapedPath()", '/a%2Fb'],
    ["url('https://example.com/é').getEscapedPath()", '/%C3%A9'],
    ["url('https://example.com').getEscapedPath()", ''],
    ["url('mailto:jane@example.com').getHost()", ''],
    [
      "url('https://example.com/?k1=a&k2=b&k2=c').getQuery()",
      new Map([
        ['k1', ['a']],
        ['k2', ['b', 'c']],
      ]),
    ],
    [
      "url('https://example.com/?a b=c+d%21&x;y=1&z=%zz&=v').getQuery()",
      new Map([
        ['a b', ['c d!']],
        ['', ['v']],
      ]),
    ],
    ["url('https://example.com/path?').getQuery()", new Map()],
    ["url('https://a/%7Eb') == url('HTTPS://a/%7Eb')", true],
    ["url('https://a/b') == url('https://a/c')", false],
    ["isURL('/absolute-path')", true],
    ["isURL('https://user:pass@example.com:80/path?query=val#fragment')", true],
    ["isURL('../relative-path')", false],
    ["isURL('https://a:b:c/')", false],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });

  it.each([
    ['', 'parse "": empty url'],
    ['../relative-path', 'parse "../relative-path": invalid URI for request'],
    ['https://a:b:c/', 'parse "https://a:b:c/": invalid port ":c" after host'],
    [':foo', 'parse ":foo": missing protocol scheme'],
    ['https://a b/', 'parse "https://a b/": invalid character " " in host name'],
    ['https://a#b', 'parse "https://a#b": invalid character "#" in host name'],
    ['https://[::1/', 'parse "https://[::1/": missing \']\' in host'],
    ['https://a%41/', 'parse "https://a%41/": invalid URL escape "%41"'],
    ['https://a/%4', 'parse "https://a/%4": invalid URL escape "%4"'],
    ['https://a<b@c/', 'parse "https://a<b@c/": net/url: invalid userinfo'],
    ['https://a/\n', 'parse "https://a/\\n": net/url: invalid control character in URL'],
  ])('%j is not a URL', async (text, problem) => {
    await expect(evaluate('url(t)', { t: text }, { variables: { t: stringType } })).rejects.toThrow(
      `URL parse error during conversion from string: ${problem}`,
    );
  });
});

describe('quantity', () => {
  it.each<[string, unknown]>([
    ["isQuantity('1.3Gi')", true],
    ["isQuantity('1,3G')", false],
    ["isQuantity('200K')", false],
    ["quantity('50k').asInteger()", 50_000n],
    ["quantity('50000000G').isInteger()", true],
    ["quantity('1.5').isInteger()", false],
    ["quantity('1000m').isInteger()", false],
    ["quantity('9223372036854775807').isInteger()", false],
    ["quantity('9999999999999999999999999999999999999G').isInteger()", false],
    ["quantity('0.3').asApproximateFloat()", 3 * 0.1],
    ["quantity('1.5Gi').asApproximateFloat()", 1_610_612_736],
    ["quantity('1e400').asApproximateFloat()", Infinity],
    ["sign(quantity('-1Mi'))", -1n],
    ["quantity('50k').add(quantity('20k')) == quantity('70k')", true],
    ["quantity('50k').add(20) == quantity('50020')", true],
    ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", true],
    ["quantity('50k').sub(20000).asInteger()", 30_000n],
    ["quantity('0').add(quantity('5m')).isInteger()", false],
    ["quantity('1.5Gi').add(quantity('0.5Gi')) == quantity('2Gi')", true],
    ["quantity('200M').compareTo(quantity('0.2G'))", 0n],
    ["quantity('50Mi').compareTo(quantity('50M'))", 1n],
    ["quantity('50M').isLessThan(quantity('100M'))", true],
    ["quantity('50Mi').isGreaterThan(quantity('100Mi'))", false],
    ["quantity('200M') != quantity('0.2G')", false],
    ["[quantity('1'), quantity('2')].exists(q, q == quantity('1000m'))", true],
    ["'%s'.format([dyn(type(quantity('1')))])", 'kubernetes.Quantity'],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });

  it.each([
    ["quantity('Three')", /^quantities must match the regular expression/],
    ["quantity('200K')", /^quantities must match|unable to parse quantity's suffix/],
    ["quantity('1.5').asInteger()", /^cannot convert value to integer$/],
    ["'%s'.format([dyn(quantity('1'))])", /was given kubernetes.Quantity$/],
  ])('%s fails', async (expression, problem) => {
    await expect(evaluate(expression)).rejects.toThrow(problem);
  });
});

describe('ip and cidr', () => {
  it.each<[string, unknown]>([
    ["ip('192.168.0.1').family()", 4n],
    ["ip('2001:db8::68').family()", 6n],
    ["isIP('192.168.0.1.0')", false],
    ["isIP('::ffff:192.168.0.1')", false],
    ["isIP('fe80::1%eth0')", false],
    ["ip.isCanonical('2001:db8::68')", true],
    ["ip.isCanonical('2001:DB8::68')", false],
    ["ip.isCanonical('2001:db8::0:68')", false],
    ["string(ip('2001:db8:0:0:1:0:0:1'))", '2001:db8::1:0:0:1'],
    ["string(ip('::1.2.3.4'))", '::102:304'],
    ["string(ip('0:0:0:0:0:0:0:0'))", '::'],
    ["ip('2001:db8::1') == ip('2001:DB8:0::1')", true],
    ["ip('0.0.0.1') == ip('::1')", false],
    ["ip('::').isUnspecified()", true],
    ["ip('127.9.9.9').isLoopback()", true],
    ["ip('::1').isLoopback()", true],
    ["ip('224.0.0.1').isLinkLocalMulticast()", true],
    ["ip('ff12::1').isLinkLocalMulticast()", true],
    ["ip('ff03::1').isLinkLocalMulticast()", false],
    ["ip('169.254.169.254').isLinkLocalUnicast()", true],
    ["ip('fe80::1').isLinkLocalUnicast()", true],
    ["ip('192.168.0.1').isGlobalUnicast()", true],
    ["ip('255.255.255.255').isGlobalUnicast()", false],
    ["ip('ff00::1').isGlobalUnicast()", false],
    ["type(ip('::1')) == net.IP", true],
    ["type(cidr('::1/8')) == net.CIDR", true],
    ["isCIDR('192.168.0.0/33')", false],
    ["isCIDR('10.0.0.0/08')", false],
    ["cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", true],
    ["cidr('192.168.0.0/24').containsIP('192.168.1.1')", false],
    ["cidr('::/0').containsIP('1.2.3.4')", false],
    ["cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))", true],
    ["cidr('192.168.0.0/16').containsCIDR('192.168.0.0/15')", false],
    ["cidr('192.168.0.1/24').ip() == ip('192.168.0.1')", true],
    ["cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')", true],
    ["cidr('192.168.0.1/24') == cidr('192.168.0.0/24')", false],
    ["cidr('2001:db8::/32').prefixLength()", 32n],
    ["string(cidr('2001:DB8::/32'))", '2001:db8::/32'],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });

  it.each([
    ['ip', '192.168.0.1.0', 'ParseAddr("192.168.0.1.0"): IPv4 address too long'],
    ['ip', '192.168.0', 'ParseAddr("192.168.0"): IPv4 address too short'],
    ['ip', '192.168.0.256', 'ParseAddr("192.168.0.256"): IPv4 field has value >255'],
    ['ip', '192.168.0.01', 'ParseAddr("192.168.0.01"): IPv4 field has octet with leading zero'],
    ['ip', '192..0.1', 'ParseAddr("192..0.1"): IPv4 field must have at least one digit (at ".0.1")'],
    ['ip', '1.2.x', 'ParseAddr("1.2.x"): unexpected character (at "x")'],
    ['ip', 'abc', 'ParseAddr("abc"): unable to parse IP'],
    ['ip', '%eth0', 'ParseAddr("%eth0"): missing IPv6 address'],
    ['ip', ':::1', 'ParseAddr(":::1"): each colon-separated field must have at least one digit (at ":1")'],
    ['ip', '1::2::3', 'ParseAddr("1::2::3"): multiple :: in address (at ":3")'],
    ['ip', '1:2:3', 'ParseAddr("1:2:3"): address string too short'],
    ['ip', '1:2:3:4:5:6:7:8:9', 'ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")'],
    ['ip', '1:2:3:4:5:6:7::8', 'ParseAddr("1:2:3:4:5:6:7::8"): the :: must expand to at least one field of zeros'],
    ['ip', '12345::', 'ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")'],
    ['ip', '1:', 'ParseAddr("1:"): colon must be followed by more characters (at ":")'],
    ['ip', '1:g::', 'ParseAddr("1:g::"): each colon-separated field must have at least one digit (at "g::")'],
    ['ip', '1:2g::', 'ParseAddr("1:2g::"): unexpected character, want colon (at "g::")'],
    ['ip', 'fe80::1%', 'ParseAddr("fe80::1%"): zone must be a non-empty string'],
    ['cidr', '10.0.0.0', 'netip.ParsePrefix("10.0.0.0"): no \'/\''],
    ['cidr', '10.0.0.0/33', 'netip.ParsePrefix("10.0.0.0/33"): prefix length out of range'],
    ['cidr', '10.0.0.0/+8', 'netip.ParsePrefix("10.0.0.0/+8"): bad bits after slash: "+8"'],
    ['cidr', 'x/8', 'netip.ParsePrefix("x/8"): ParseAddr("x"): unable to parse IP'],
  ])('%s(%j) fails', async (name, text, problem) => {
    const prefix = 'network address parse error during conversion from string: ';
    const message =
      name === 'ip'
        ? `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${problem}`
        : `${prefix}${prefix}${problem}`;
    await expect(evaluate(`${name}(t)`, { t: text }, { variables: { t: stringType } })).rejects.toThrow(
      expect.objectContaining({ message }),
    );
  });

  it.each([
    ["ip('fe80::1%eth0')", 'IP address "fe80::1%eth0" with zone value is not allowed'],
    ["ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
    [
      "cidr('::ffff:1.2.3.4/120')",
      'network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:1.2.3.4/120" is not allowed',
    ],
    ["cidr('10.0.0.0/8').containsIP('x')", 'no such overload'],
  ])('%s fails', async (expression, message) => {
    await expect(evaluate(expression)).rejects.toThrow(expect.objectContaining({ message }));
  });

  it('has no fields', async () => {
    expect(await compileProblem("ip('::1').x")).toContain("type 'net.IP' does not support field selection");
    expect(await compileProblem("quantity('1').x")).toContain("unexpected failed resolution of 'kubernetes.Quantity'");
    expect(await compileProblem("ip('::1') == cidr('::1/8')")).toContain(
      "found no matching overload for '_==_' applied to '(net.IP, net.CIDR)'",
    );
  });
});

describe('sets', () => {
  it.each<[string, boolean]>([
    ['sets.contains([1, 2, 3], [2, 3])', true],
    ['sets.contains([1, 2], [2, 3])', false],
    ['sets.contains([1], [])', true],
    ['sets.equivalent([1, 2, 2], [2, 1])', true],
    ['sets.equivalent([1, 2], [1])', false],
    ['sets.intersects([1, 2], [2, 3])', true],
    ['sets.intersects([1], [])', false],
    ['sets.contains([dyn(1)], [1.0])', true],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toBe(value);
  });
});

describe('named formats', () => {
  const libraries = storedExpressionLibraries;
  it.each<[string, unknown]>([
    ["format.dns1123Label().validate('my-label')", 'none'],
    ["format.dns1123Label().validate('My')", { some: [expect.stringMatching(/^a lowercase RFC 1123 label must/)] }],
    ["format.dns1123SubdomainPrefix().validate('prefix.-')", 'none'],
    ["format.dns1123LabelPrefix().validate('my-')", 'none'],
    ["format.dns1035Label().validate('1a')", { some: [expect.stringMatching(/^a DNS-1035 label must/)] }],
    ["format.qualifiedName().validate('example.com/name')", 'none'],
    ["format.labelValue().validate('')", 'none'],
    ["format.uri().validate('x')", { some: ['parse "x": invalid URI for request'] }],
    ["format.uuid().validate('x')", { some: ['does not match the UUID format'] }],
    ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000')", 'none'],
    ["format.byte().validate('aGVsbG8=')", 'none'],
    ["format.byte().validate('?')", { some: ['invalid base64'] }],
    ["format.date().validate('2021-02-30')", { some: ['invalid date'] }],
    ["format.datetime().validate('2021-01-01T00:00:00Z')", 'none'],
    ["format.datetime().validate('2021-01-01T24:00:00Z')", { some: ['invalid datetime'] }],
    ["format.named('date').value().validate('2021-01-01')", 'none'],
    ["format.named('datum').hasValue()", false],
    ["format.named('date').value() == format.date()", true],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression, {}, { libraries })).toEqual(value);
  });

  it('are for stored expressions only', async () => {
    expect(await compileProblem("format.date().validate('x').hasValue()")).toContain('undeclared reference');
  });
});

describe('authorizer', () => {
  const variables = { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType };
  const run = async (expression: string) => {
    const checks: AuthorizationCheck[] = [];
    const decide = (check: AuthorizationCheck) => {
      checks.push(check);
      return check.verb === 'fail'
        ? { isAllowed: false, reason: '', error: 'broken' }
        : { isAllowed: check.verb === 'get', reason: 'because' };
    };
    const access = { group: 'apps', resource: 'deployments', subresource: '', namespace: 'a', name: 'b' };
    const environment = await createCelEnvironment({
      variables,
      libraries: [authorizerLibrary, authorizerSelectorsLibrary],
    });
    const { value, cost } = environment.compile(expression).evaluate({
      authorizer: authorizerValue(decide),
      'authorizer.requestResource': requestResourceValue(decide, access),
    });
    return { value, cost, checks };
  };

  it('asks the caller', async () => {
    expect(
      await run(
        "authorizer.group('').resource('pods').subresource('log').namespace('n').name('x').check('get').allowed()",
      ),
    ).toEqual({
      value: true,
      cost: 350_007,
      checks: [{ verb: 'get', access: { group: '', resource: 'pods', subresource: 'log', namespace: 'n', name: 'x' } }],
    });
    expect(await run("authorizer.serviceAccount('n', 'sa').path('/healthz').check('get').reason()")).toMatchObject({
      value: 'because',
      checks: [{ verb: 'get', serviceAccount: { namespace: 'n', name: 'sa' }, access: { path: '/healthz' } }],
    });
    expect(await run("authorizer.requestResource.labelSelector('a=b').check('fail').error()")).toMatchObject({
      value: 'broken',
      checks: [{ access: { group: 'apps', resource: 'deployments', labelSelector: 'a=b' } }],
    });
    expect(await run("authorizer.path('/').check('list').errored()")).toMatchObject({ value: false });
  });

  it.each([
    ["authorizer.path(' ')", 'path must not be empty'],
    ["authorizer.group('').resource('')", 'resource must not be empty'],
    ["authorizer.serviceAccount('n', 'S')", 'Invalid service account name'],
    ["authorizer.serviceAccount('N', 's')", 'Invalid service account namespace'],
  ])('%s fails', async (expression, message) => {
    await expect(run(expression)).rejects.toThrow(message);
  });
});

describe('costs equal those of Kubernetes', () => {
  it.each<[string, number, number, number | bigint]>([
    ["url('https:://kubernetes.io/').getScheme()", 4, 4, 4],
    ["url('https:://kubernetes.io/') == url('https:://kubernetes.io/')", 7, 7, 9],
    ["url('https:://kubernetes.io/') == url('http://x.b')", 5, 5, 5],
    ["ip('192.168.0.1').isGlobalUnicast()", 3, 3, 3],
    ["ip('2001:db8:3333:4444:5555:6666:7777:8888') == ip('192.168.0.1')", 7, 7, 1844674407370955270n],
    ["ip.isCanonical('2001:db8:3333:4444:5555:6666:7777:8888')", 8, 8, 8],
    ["cidr('192.168.0.0/16').masked()", 3, 3, 3],
    ["cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/30'))", 7, 7, 11],
    ["cidr('192.168.0.0/16').containsCIDR('192.0.0.0/30')", 7, 7, 11],
    ["cidr('192.168.0.0/16').containsIP(ip('192.169.0.1'))", 5, 5, 8],
    ["cidr('192.168.0.0/16').containsIP('192.0.0.1')", 4, 4, 7],
    ["quantity('12Mi').add(quantity('5')).isInteger()", 4, 4, 4],
    ["quantity('12Mi') == quantity('5')", 3, 3, 1844674407370955266n],
    ['sets.contains([1, 2], [1])', 3, 23, 23],
    ['sets.equivalent([1, 2], [1])', 5, 25, 25],
    ["format.dns1123Label().validate('my-label-name')", 17, 65, 65],
    ["format.named('date') == format.named('date')", 3, 3, 1844674407370955266n],
  ])('%s', async (expression, cost, min, max) => {
    const environment = await createCelEnvironment({ variables: {}, libraries: storedExpressionLibraries });
    const program = environment.compile(expression);
    expect(program.evaluate({}).cost).toBe(cost);
    expect(program.estimateCost()).toEqual({ min: BigInt(min), max: BigInt(max) });
  });
});

it('null is comparable with values of the libraries', async () => {
  expect(await evaluate("ip('::1') == null || null == quantity('1')")).toBe(false);
  expect(await evaluate('b == d', { b: true, d: 1 }, { variables: { b: boolType, d: dynType } })).toBe(false);
});
