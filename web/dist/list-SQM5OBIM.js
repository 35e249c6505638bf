import{a,b,c}from"./chunk-24MVBWKT.js";import"./chunk-BXPBT2JP.js";import"./chunk-PYJGMQIH.js";import"./chunk-VFESWWDY.js";import"./chunk-EFMXWPQZ.js";c();export{a as GuardianTabs,b as default};
