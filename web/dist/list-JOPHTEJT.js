import{a,b,c}from"./chunk-OPLDAFGC.js";import"./chunk-M37I2N6E.js";import"./chunk-HRZRTH7Z.js";import"./chunk-HB2TWUH7.js";import"./chunk-2WWN6WQ5.js";c();export{a as GuardianTabs,b as default};
