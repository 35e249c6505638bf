import{a,b,c}from"./chunk-G47D3IT7.js";import"./chunk-UIFC5H2O.js";import"./chunk-CCRMUCX4.js";import"./chunk-IMSPZAO4.js";import"./chunk-SM5NGPOV.js";c();export{a as GuardianTabs,b as default};
