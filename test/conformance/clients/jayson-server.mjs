// A server of jayson that has the weather of examples/weather: jayson-server.mjs PORT, over HTTP.
import jayson from 'jayson/promise/index.js';

const cities = {
  Paris: { degrees: 14.5, wind: 11.5 }, Oslo: { degrees: -3, wind: null }, Lagos: { degrees: 31 },
};

const server = new jayson.Server({
  'weather/current': async ({ city, unit = 'celsius' }) => {
    if (!cities[city]) {
      const didYouMean = Object.keys(cities).filter((name) => name.slice(0, 2) === city.slice(0, 2));
      throw { code: 1001, message: `city ${city} not found`, data: { city, didYouMean } };
    }
    const { degrees, ...rest } = cities[city];
    return { city, degrees: unit === 'celsius' ? degrees : degrees * 9 / 5 + 32, unit, observedAt: '2026-07-28T12:00:00Z', ...rest };
  },
});
server.http().listen(Number(process.argv[2]), '127.0.0.1');
