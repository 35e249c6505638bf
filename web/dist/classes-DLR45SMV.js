import{a,b,c}from"./chunk-5T3Y7XPV.js";import"./chunk-DMJLIF2R.js";import"./chunk-BET763ND.js";import"./chunk-QNNZSPSD.js";c();export{a as ClassTabs,b as default};
