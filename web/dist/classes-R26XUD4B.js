import{a,b,c}from"./chunk-NMZ6OH2R.js";import"./chunk-XPC6NHDC.js";import"./chunk-DQ3KEZL4.js";import"./chunk-3S6HH2FD.js";c();export{a as ClassTabs,b as default};
