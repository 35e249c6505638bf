import{a,b,c}from"./chunk-VE5CYHJ5.js";import"./chunk-LRMR2WHZ.js";import"./chunk-XJT6U77W.js";import"./chunk-PSHI7NFB.js";import"./chunk-QNNZSPSD.js";c();export{a as GuardianTabs,b as default};
