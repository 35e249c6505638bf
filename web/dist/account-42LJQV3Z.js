import{a,b,c,d}from"./chunk-PVUASDXU.js";import"./chunk-FSFGGEGQ.js";import"./chunk-5H5K2FAG.js";d();export{c as Security,a as default,b as identity};
