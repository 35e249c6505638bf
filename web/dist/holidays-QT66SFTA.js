import{a,b,c}from"./chunk-ZFR3WFN5.js";import"./chunk-CCRMUCX4.js";import"./chunk-UTXJYB7S.js";import"./chunk-IMSPZAO4.js";import"./chunk-SM5NGPOV.js";c();export{a as CalendarTabs,b as default};
