import{a,b,c}from"./chunk-FSFGGEGQ.js";import"./chunk-5H5K2FAG.js";c();export{a as SetPIN,b as default};
