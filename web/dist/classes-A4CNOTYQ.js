import{a,b,c}from"./chunk-W6YJXDII.js";import"./chunk-I4OVLW2N.js";import"./chunk-35WBF4GA.js";import"./chunk-BYYGTQDX.js";c();export{a as ClassTabs,b as default};
